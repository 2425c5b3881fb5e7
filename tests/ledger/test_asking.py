"""The questions people ask: right answers, from an index and not from reading everything."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import text

from ledger import asking
from ledger import entries as e
from ledger.asking import measured_with_version, predictions_that_held, production_of, verdicts_on_setting
from ledger.entries.arm import ArmSetting, settings_of
from ledger.store import Ledger
from tests.ledger.examples import REVIEW_RUN, RUN, A, B, acceptance, verdict
from tests.ledger.test_standing import measuring_run


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.open(tmp_path / "records.db", actor="test", create=True) as made:
        yield made


def arm(fingerprint: str, definition: dict[str, object], target: str = "local-llamacpp") -> e.Arm:
    return e.Arm(
        fingerprint=fingerprint, name="arm", target=target, proposal=None, definition=definition, origins=("author",)
    )


def predicted(direction: str, low: float, high: float) -> e.Hypothesis:
    return e.Hypothesis.model_validate(
        {
            "hypothesis": f"glm/{direction}", "run": REVIEW_RUN, "reviewer": "glm", "mechanism": "m", "falsifier": "f",
            "citations": [], "arm_fingerprint": A, "not_runnable": None, "arm": None,
            "prediction": {
                "metric": "total_tok_s", "load": 4, "direction": direction, "low_pct": low, "high_pct": high
            },
            "prediction_sha256": B,
        }
    )  # fmt: skip


def test_every_verdict_on_a_setting_newest_first(ledger: Ledger) -> None:
    ledger.append_all(
        (arm(A, {"flags": {"N_Parallel": 4}, "env": {"OMP_NUM_THREADS": "2"}}), arm(B, {"flags": {"x": 1}}))
    )
    ledger.append_all((verdict(), verdict(arm=B), verdict(run="m-20261130-0002", speed="SAME")))
    found = verdicts_on_setting(ledger, "n-parallel")
    assert [(one.seq, one.what, one.speed) for one in found] == [
        (5, "n-parallel = 4", "SAME"),
        (3, "n-parallel = 4", "FASTER"),
    ]
    assert found[1].words.endswith(
        "n-parallel = 4: FASTER +44.5 % (four-slots on local-llamacpp, total_tok_s at 4 users)"
    )
    assert len(verdicts_on_setting(ledger, "OMP_NUM_THREADS", "local-llamacpp")) == 2
    assert verdicts_on_setting(ledger, "n-parallel", "elsewhere") == ()


def test_what_production_is_made_of(ledger: Ledger) -> None:
    first = ledger.append(acceptance())
    ledger.append(acceptance(supersedes=first.id))
    ledger.append(acceptance(target="other"))
    assert [(one.seq, one.reason) for one in production_of(ledger, "local-llamacpp")] == [
        (1, "four users wait less"),
        (2, "four users wait less"),
    ]


def test_what_a_reviewer_predicted_that_held(ledger: Ledger) -> None:
    ledger.append_all((predicted("up", 5, 60), predicted("down", -9, -1), predicted("same", -1, 1)))
    ledger.append(verdict())
    assert [one.what for one in predictions_that_held(ledger, "glm")] == ["glm/up said up"]
    ledger.append(predicted("up", 5, 60))  # said after it was measured: no prediction
    assert len(predictions_that_held(ledger, "glm")) == 1
    assert predictions_that_held(ledger, "nobody") == ()


def test_what_a_version_measured(ledger: Ledger) -> None:
    ledger.append_all((measuring_run(RUN), measuring_run("m-20261130-0002", "0.2.0")))
    ledger.append_all((verdict(), verdict(run="m-20261130-0002")))
    assert [one.seq for one in measured_with_version(ledger, "0.2.0")] == [4]


def test_settings_of_any_definition() -> None:
    overlay = [{"path": "/opt/a.so", "source": "/s"}]
    found = settings_of({"flags": {"A_b": True}, "env": {"X": "1"}, "model": "/m.gguf", "overlay": overlay, "odd": 3})
    assert found == (
        ArmSetting(name="X", value="1"),
        ArmSetting(name="a-b", value="true"),
        ArmSetting(name="model", value="/m.gguf"),
        ArmSetting(name="overlay", value="/opt/a.so"),
    )
    assert settings_of({"flags": None, "env": [], "overlay": [3]}) == ()


@pytest.mark.parametrize("words", [asking._SETTING, asking._REVIEWER, asking._FACT, asking._PRODUCTION])
def test_no_question_reads_a_whole_table(ledger: Ledger, words: str) -> None:
    given = {"name": "n", "target": "t", "most": 9}
    with ledger.looking() as connection:
        plan = [row[3] for row in connection.execute(text(f"EXPLAIN QUERY PLAN {words}"), given)]
    assert plan
    assert [line for line in plan if line.startswith("SCAN")] == []


def test_the_page_tells_the_views_as_they_are(ledger: Ledger) -> None:
    page = (Path(__file__).parents[2] / "docs" / "questions.md").read_text(encoding="utf-8")
    with ledger.looking() as connection:
        for view in ("setting_verdict", "production", "prediction_verdict"):
            columns = [row[1] for row in connection.execute(text(f"PRAGMA table_info({view})"))]
            (told,) = [line for line in page.splitlines() if line.startswith(f"| `{view}`")]
            assert told.split("|")[3].strip() == ", ".join(columns)
