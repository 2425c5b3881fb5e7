"""The questions people ask: right answers, from an index and not from reading everything."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import text

from ledger import asking
from ledger import entries as e
from ledger.asking import (
    measured_on_card,
    measured_under_driver,
    measured_with_model,
    measured_with_version,
    predictions_that_held,
    production_of,
    verdicts_on_setting,
)
from ledger.entries.arm import ArmSetting, settings_of
from ledger.store import Ledger
from tests.ledger.examples import REVIEW_RUN, RUN, A, B, C, acceptance, machine, model, verdict
from tests.ledger.test_standing import measuring_run

RUNS = (asking._RUNS_WITH_VERSION, asking._RUNS_UNDER_DRIVER, asking._RUNS_ON_CARD, asking._RUNS_WITH_MODEL)


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
        "n-parallel = 4: FASTER +44.5 % (+30.2 to +60.0) "
        "(four-slots on local-llamacpp, total_tok_s at 4 users, primary)"
    )
    assert len(verdicts_on_setting(ledger, "OMP_NUM_THREADS", "local-llamacpp")) == 2
    assert verdicts_on_setting(ledger, "n-parallel", "elsewhere") == ()


def test_of_a_run_the_verdict_that_decides_comes_first(ledger: Ledger) -> None:
    ledger.append(arm(A, {"flags": {"x": 4}}))
    beside = verdict(metric="ttft_ms", load=1, primary=False)
    ledger.append_all((verdict(), beside, verdict(run="m-20261130-0002")))
    found = verdicts_on_setting(ledger, "x")
    assert [(one.seq, one.primary) for one in found] == [(4, True), (2, True), (3, False)]
    assert "ttft_ms at 1 user)" in found[2].words


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


def test_what_was_measured_under_a_driver_and_on_a_card(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "RUNS_AT_ONCE", 2)
    names = [f"m-20261130-000{number}" for number in range(5)]
    for number, name in enumerate(names):
        ledger.append_all((measuring_run(name), machine(name, driver=f"57{number % 2}.1"), verdict(run=name)))
    found = measured_under_driver(ledger, "570.1")
    assert [one.run for one in found] == [names[4], names[2], names[0]]
    assert found[0].what == "driver 570.1"
    assert [one.run for one in measured_on_card(ledger, "GPU-1")] == names[::-1]
    assert len(measured_on_card(ledger, "V100")) == 5
    assert measured_on_card(ledger, "GPU-2") == measured_under_driver(ledger, "1") == ()
    monkeypatch.setattr(asking, "MOST", 2)
    assert [one.run for one in measured_on_card(ledger, "V100")] == names[:2:-1]


def test_what_was_measured_with_a_model_file(ledger: Ledger) -> None:
    names = [f"m-20261130-000{number}" for number in range(4)]
    ledger.append_all((model(names[0]), verdict(run=names[0]), verdict(run=names[0], arm=B)))  # the baseline's file
    ledger.append_all((model(names[1], A), verdict(run=names[1]), verdict(run=names[1], arm=B)))  # one arm's file
    ledger.append_all((model(names[2], sample_sha256=C, sha256=C), verdict(run=names[2])))
    ledger.append_all((model(names[3], sample_sha256=C), verdict(run=names[3])))  # not read whole by then
    asked = {name: [one.seq for one in measured_with_model(ledger, name)] for name in (B, C, "m.gguf", "/m", A)}
    assert asked == {B: [5, 3, 2], C: [10, 8], "m.gguf": [10, 8, 5, 3, 2], "/m": [], A: []}
    ledger.append(model(names[3], A, sample_sha256=C, sha256=C))  # an acceptance reads it whole and says so
    assert [one.seq for one in measured_with_model(ledger, "/models/m.gguf")] == asked["m.gguf"]
    with ledger.looking() as connection:
        found = connection.execute(text("SELECT seq FROM model_verdict WHERE name = 'm.gguf' ORDER BY seq DESC"))
        assert sorted({row[0] for row in found}, reverse=True) == asked["m.gguf"]


def test_an_arm_that_was_measured_again_gives_each_verdict_once(ledger: Ledger) -> None:
    for number in range(3):
        ledger.append_all((arm(A, {"flags": {"x": 1}}), verdict(run=f"m-20261130-000{number}")))
    assert [one.seq for one in verdicts_on_setting(ledger, "x")] == [6, 4, 2]
    with ledger.looking() as connection:
        assert connection.execute(text("SELECT COUNT(*) FROM setting_verdict WHERE setting = 'x'")).scalar() == 3


def test_a_target_that_went_back_says_so(ledger: Ledger) -> None:
    first = ledger.append(acceptance())
    second = ledger.append(acceptance(supersedes=first.id))
    for leaves, back_to in ((second.id, first.id), (first.id, None)):
        rollback = e.Rollback(target="local-llamacpp", leaves=leaves, back_to=back_to, reason="slower", person="Ada")
        ledger.append(rollback)
    assert [one.arm_name for one in production_of(ledger, "local-llamacpp")] == [
        "four-slots",
        "four-slots",
        "back to four-slots",
        "back to its own file",
    ]


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


@pytest.mark.parametrize("words", [asking._SETTING, asking._REVIEWER, asking._PRODUCTION, *RUNS])
def test_no_question_reads_a_whole_table(ledger: Ledger, words: str) -> None:
    given = {"name": "n", "value": "n", "target": "t", "most": 9, "below": 9}
    with ledger.looking() as connection:
        plan = [row[3] for row in connection.execute(text(f"EXPLAIN QUERY PLAN {words}"), given)]
    assert plan
    assert [line for line in plan if line.startswith("SCAN") and line.split()[1] not in ("named", "newest", "n")] == []


def test_the_page_tells_the_views_as_they_are(ledger: Ledger) -> None:
    page = (Path(__file__).parents[2] / "docs" / "questions.md").read_text(encoding="utf-8")
    with ledger.looking() as connection:
        for view in ("setting_verdict", "production", "prediction_verdict", "machine_verdict", "model_verdict"):
            columns = [row[1] for row in connection.execute(text(f"PRAGMA table_info({view})"))]
            (told,) = [line for line in page.splitlines() if line.startswith(f"| `{view}`")]
            assert told.split("|")[3].strip() == ", ".join(columns)
