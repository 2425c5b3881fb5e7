"""Interactions come from the record alone, and `harness show` prints them with the files that were changed."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from harness.cli.app import app
from harness.verdicts.cells import layout
from harness.verdicts.interactions import Interaction, interactions
from harness.vocabulary.arm import Arm
from harness.vocabulary.outcome import Reason
from harness.workflow.stacked import stacked_in
from ledger.entries import Arm as ArmEntry
from ledger.entries import ChangedFile, RunEnd
from ledger.store import Ledger
from tests.harness.verdicts.records import RUN, Record, record

KEY = ("total_tok_s", 4)
NOISE = (1.0, 1.01, 0.99, 1.0)
VALUES = {
    "baseline": [100.0 * n for n in NOISE],
    "placebo": [100.4 * n for n in NOISE],
    "harms": [80.0 * n for n in NOISE],
    "repairs": [100.1 * n for n in NOISE],
    "both": [99.0 * n for n in NOISE],
}


def stacked(made: Record) -> dict[str, Arm]:
    """The arms, of which `both` is the stack of the other two."""
    arms = {one.name: one for one in made.arms}
    arms["both"] = arms["both"].model_copy(update={"stack": ("harms", "repairs")})
    return {one.fingerprint: one for one in arms.values()}


def found(made: Record) -> tuple[Interaction, ...]:
    return interactions(layout(made.run, made.criteria, made.evidence), KEY, stacked(made), made.criteria.level)


def test_what_does_nothing_alone_repairs_on_top() -> None:
    first, second = found(record(VALUES))
    assert (first.part, first.rest, second.part, second.rest) == ("harms", "repairs", "repairs", "harms")
    assert second.alone_pct == pytest.approx(-0.1, abs=0.01)
    assert second.on_top_pct == pytest.approx(100 * (99 / 80 - 1), abs=0.01)
    assert second.ratio_pct == pytest.approx(first.ratio_pct)  # of two, each interacts with the other alike
    assert second.ratio_pct == pytest.approx(100 * (99 * 100.2 / (80 * 100.1) - 1), abs=0.05)
    assert second.shown and second.blocks == 4 and second.level == pytest.approx(0.025)
    assert second.sentence.startswith("repairs alone -0.1 %, on top of harms +23.8 %: they interact, +23.9 % [")


def test_a_block_without_one_of_the_numbers_is_left_out_and_one_block_is_none() -> None:
    made = record(VALUES).without_number("both", 1, Reason.DIED)
    assert [one.blocks for one in found(made)] == [3, 3]
    for block in (2, 3):
        made = made.without_number("harms", block, Reason.DIED)
    assert found(made) == ()


def written(folder: Path, outcome: str = "completed") -> None:
    """The run in a workspace's ledger."""
    made = record(VALUES)
    (folder / "targets").mkdir()
    arms = [
        ArmEntry(
            fingerprint=fingerprint,
            name=one.name,
            target="t",
            proposal=None,
            definition=one.model_dump(mode="json", by_alias=True),
            origins=("author",),
        )
        for fingerprint, one in stacked(made).items()
    ]
    files = (
        ChangedFile(
            kind="in-place", path="/opt/a.so", made="/opt/a.so", before_sha256="a" * 64, after_sha256="b" * 64, said=""
        ),
    )
    launches = [
        one.model_copy(update={"files": files, "undone": ("'/opt/a.so' was mended",)} if one.role == "arm" else {})
        for one in made.launches
    ]
    end = RunEnd.model_validate(
        {"run": RUN, "outcome": outcome, "reason": None, "detail": "a sentence", "downtime_s": 1}
    )
    with Ledger.open(folder / "records.db", actor="test", create=True) as ledger:
        trials = [trial for _, trial in made.trials]
        ledger.append_all([made.run, *arms, *launches, *made.gates, *trials, end])


@pytest.mark.parametrize(("outcome", "count"), [("completed", 2), ("void", 0)])
def test_a_void_run_has_no_interactions(tmp_path: Path, outcome: str, count: int) -> None:
    written(tmp_path, outcome)
    with Ledger.open(tmp_path / "records.db", actor="test") as ledger:
        assert len(stacked_in(ledger, RUN)) == count
        assert stacked_in(ledger, "measure-unknown") == ()


def test_show_prints_interactions_and_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    written(tmp_path)
    said = CliRunner().invoke(app, ["show", RUN, "--workspace", str(tmp_path)])
    assert said.exit_code == 0, said.output
    assert "interact" in said.output and "repairs" in said.output  # the table may be narrow and wrap its words
    assert "in-place /opt/a.so (aaaaaaaaaaaa -> bbbbbbbbbbbb)" in said.output
    assert "'/opt/a.so' was mended" in said.output
    as_json = CliRunner().invoke(app, ["show", RUN, "--json", "--workspace", str(tmp_path)])
    value = json.loads(as_json.output)
    assert [one["part"] for one in value["interactions"]] == ["harms", "repairs"]
