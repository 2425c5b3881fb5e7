"""Other runs of the same question: they are named, and one that said otherwise must be outweighed by its blocks."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from committee.accept.accept import accept
from committee.accept.evidence import Evidence, Subject, evidence, subject
from committee.cli.deciding import said_accepted
from ledger.entries import Acceptance, Gate, Launch, MeasuringRun
from ledger.withhold import Wanted, withhold
from tests.committee.accept.sample import CRITERIA, Q8, Bench, make_bench


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    """A workspace with one proposal."""
    made = make_bench(tmp_path)
    with made.ledger:
        yield made


def decide(bench: Bench) -> Acceptance | tuple[str, ...]:
    """A person accepts."""
    return accept(bench.workspace, bench.ledger, bench.folder.name, "four-slots", "four users wait less", "Ada Example")


def looked_at(bench: Bench, arm: str = "four-slots") -> Evidence | tuple[str, ...]:
    """What supports accepting, without the decision and its commit."""
    found = subject(bench.workspace, bench.ledger, bench.folder.name, arm)
    assert isinstance(found, Subject)
    return evidence(bench.workspace, bench.ledger, found)


def named(bench: Bench) -> list[str]:
    """The runs that support for an acceptance names beside its own."""
    found = looked_at(bench)
    assert isinstance(found, Evidence), found
    return [one.sentence for one in found.earlier]


def refused(bench: Bench) -> str:
    """The sentences of a refusal."""
    said = looked_at(bench)
    assert isinstance(said, tuple)
    return "; ".join(said)


def test_measuring_until_it_comes_out_faster_supports_nothing(bench: Bench, tmp_path: Path) -> None:
    bench.measure("m-000001", speed="SAME")
    bench.measure("m-000002", speed="AMBIGUOUS")
    bench.measure("m-000003")
    said = refused(bench)
    assert "m-000001 said SAME over 2 blocks; m-000002 said AMBIGUOUS over 2 blocks" in said
    assert "its 2 blocks do not outweigh the 4 of all others; measure again with --blocks 6" in said
    bench.measure("m-000004", override={"blocks": 5})
    assert "do not outweigh the 6" in refused(bench)
    bench.measure("m-000005", override={"blocks": 11})
    accepted = decide(bench)
    assert isinstance(accepted, Acceptance)
    assert accepted.earlier[:2] == ("m-000001 said SAME over 2 blocks", "m-000002 said AMBIGUOUS over 2 blocks")
    assert "after earlier runs (m-000001 said SAME over 2 blocks; m-000002" in said_accepted(tmp_path, accepted)
    assert [one for one in bench.trailers() if one.startswith("Earlier-Run: ")] == [
        f"Earlier-Run: m-00000{number}" for number in (1, 2, 3, 4)
    ]
    body = " ".join(bench.git("log", "-1", "--format=%b").split())
    assert "after 4 earlier runs of this arm: m-000001 said SAME over 2 blocks;" in body


@pytest.mark.parametrize(
    ("before", "outcome"),
    [({}, "completed"), ({"speed": "SAME"}, "void"), ({"speed": "SAME"}, "stopped")],
)
def test_earlier_runs_that_agree_or_gave_no_answer_are_named_only(
    bench: Bench, before: dict[str, Any], outcome: str
) -> None:
    bench.measure("m-000001", outcome=outcome, override={"blocks": 8}, **before)
    bench.measure("m-000002")
    assert isinstance(decide(bench), Acceptance)
    assert "Earlier-Run: m-000001" in bench.trailers()
    said = "said FASTER over 8 blocks" if outcome == "completed" else f"was {outcome}"
    assert f"m-000001 {said}" in " ".join(bench.git("log", "-1", "--format=%b").split())


def test_an_earlier_run_that_failed_another_criterion_counts_against(bench: Bench) -> None:
    bench.measure("m-000001", numerics="CHANGED", override={"blocks": 4})
    bench.measure("m-000002")
    assert "m-000001 said FASTER over 4 blocks" in refused(bench)


@pytest.mark.parametrize("what", ["launch", "gate", "late gate"])
def test_a_run_in_which_something_is_withheld_stays_against(bench: Bench, what: str) -> None:
    bench.measure("m-000001", override={"blocks": 4})
    launched, launch = bench.ledger.of(Launch, run="m-000001")[1]
    gated, gate = bench.ledger.of(Gate, launch=launch.launch)[0]
    late = bench.ledger.append(gate.model_copy(update={"passed": False}))
    taken = {"launch": launched, "gate": gated, "late gate": late}[what]
    withhold(bench.ledger, Wanted(entries=(taken.id,)), reason="r", person="Ada")
    bench.measure("m-000002")
    assert "m-000001 said FASTER (with something withheld) over 4 blocks" in refused(bench)
    bench.measure("m-000003", override={"blocks": 6})
    assert named(bench)[1:] == ["m-000002 said FASTER over 2 blocks"]


def test_a_new_line_in_the_proposal_is_no_new_beginning(bench: Bench) -> None:
    bench.measure("m-000001", speed="SAME")
    bench.measure("m-000002", speed="SAME")
    text = bench.folder / "PROPOSAL.md"
    text.write_text(text.read_text() + "\n")
    bench.measure("m-000003")
    assert len({run.tree for _, run in bench.ledger.of(MeasuringRun)}) == 2
    assert "its 2 blocks do not outweigh the 4 of all others" in refused(bench)
    bench.measure("m-000004", override={"blocks": 6})
    accepted = decide(bench)
    assert isinstance(accepted, Acceptance) and accepted.earlier[0] == "m-000001 said SAME over 2 blocks"
    trailers = [one for one in bench.trailers() if one.startswith("Earlier-Run: ")]
    assert trailers == [f"Earlier-Run: m-00000{number}" for number in (1, 2, 3)]


def copied(bench: Bench) -> Bench:
    """The same proposal under another number."""
    folder = bench.folder.with_name("0002-slots")
    shutil.copytree(bench.folder, folder)
    header = folder / "proposal.toml"
    header.write_text(header.read_text().replace("0001-slots", "0002-slots"))
    return Bench(bench.workspace, bench.ledger, folder)


def test_a_copied_proposal_is_no_new_beginning(bench: Bench) -> None:
    bench.measure("m-000001", speed="SAME", override={"blocks": 4})
    second = copied(bench)
    second.measure("m-000002")
    assert {run.proposal for _, run in bench.ledger.of(MeasuringRun)} == {"0001-slots", "0002-slots"}
    assert "m-000001 said SAME over 4 blocks" in refused(second)
    second.measure("m-000003", override={"blocks": 6})
    assert named(second) == ["m-000001 said SAME over 4 blocks", "m-000002 said FASTER over 2 blocks"]


def test_a_later_run_elsewhere_that_said_otherwise_is_not_passed_over(bench: Bench) -> None:
    bench.measure("m-000001", override={"blocks": 8})
    second = copied(bench)
    second.measure("m-000002", speed="SAME")
    assert "(m-000002 said SAME over 2 blocks), and m-000002 came later; measure again with --blocks 10" in refused(
        bench
    )


def test_the_blocks_count_that_a_verdict_stands_on(bench: Bench) -> None:
    bench.measure("m-000001", speed="SAME", override={"blocks": 8})
    bench.measure("m-000002", override={"blocks": 8}, blocks=3)
    assert "its 3 blocks do not outweigh the 8 of all others; measure again with --blocks 11" in refused(bench)


def test_the_blocks_that_an_earlier_run_planned_weigh_nothing(bench: Bench) -> None:
    bench.measure("m-000001", speed="SAME", override={"blocks": 8}, blocks=2)
    bench.measure("m-000002")
    assert named(bench) == ["m-000001 said SAME over 2 blocks"]


def test_stricter_criteria_may_be_asked_of_the_same_arm(bench: Bench) -> None:
    """What a run was not asked is no answer against; what it did answer, by its own criteria or these, is."""
    bench.measure("m-000001", override={"blocks": 4})
    guard = '[[guard]]\nmetric = "user_tok_s"\nload = 4\nmargin_pct = 5\n'
    (bench.folder / "criteria.toml").write_text(f"{CRITERIA.replace('= 10', '= 20')}{guard}")
    bench.measure("m-000002")
    assert "guard user_tok_s at load 4 has no number" in refused(bench)
    assert "m-000001" not in refused(bench)
    (bench.folder / "criteria.toml").write_text(CRITERIA.replace("= 10", "= 20"))
    bench.measure("m-000003")
    assert "m-000002 said FASTER over 2 blocks), and its 2 blocks do not outweigh the 6" in refused(bench)
    bench.measure("m-000004", override={"blocks": 8})
    assert [one[:8] for one in named(bench)] == ["m-000001", "m-000002", "m-000003"]


def test_another_metric_or_load_is_another_question(bench: Bench) -> None:
    other = {"metric": "total_tok_s", "load": 1, "smallest_effect_pct": 10}
    bench.measure("m-000001", override={"blocks": 8, "primary": other}, load=1, speed="SAME")
    bench.measure("m-000002")
    assert named(bench) == []


def test_only_a_baseline_that_was_decided_on_begins_anew(bench: Bench) -> None:
    """A target's file that a person changed does not: one new number in it is written too easily."""
    bench.measure("m-000001", speed="SAME", override={"blocks": 4})
    target = bench.workspace.folder / "targets" / "local-llamacpp.toml"
    before = target.read_text()
    target.write_text(before.replace("user_tok_s = 60", "user_tok_s = 61"))
    assert target.read_text() != before
    bench.measure("m-000002")
    assert "m-000001 said SAME over 4 blocks" in refused(bench)
    target.write_text(before)
    bench.measure("m-000003", Q8)
    assert isinstance(accept(bench.workspace, bench.ledger, "0001", "kv-q8", "r", "Ada"), Acceptance)
    bench.measure("m-000004")
    assert named(bench) == []
