"""Costs and scores as they follow from a whole history, and that no score changes a rank."""

import io
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from committee.report import build, measured_table
from committee.report.history import read_history
from committee.report.site.record import Record
from committee.score.predictions import Outcome
from committee.score.read import Call, calls, scored, standings
from committee.score.reviewer_pages import reviewer_pages
from committee.score.withheld import gone
from ledger.entries import Attempt, Hypothesis, MeasuringRun, Response, Review, ReviewRun, RunEnd, Verdict
from ledger.store import Ledger
from ledger.withhold import Wanted, withhold
from tests.committee.report.sample import KNOBS, KNOBS_RUN, append_sample

RUN = "review-20260804-knobs"


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    """Two proposals, four runs, four reviewers, and two calls whose answers are known and one whose is not."""
    with Ledger.open(tmp_path / "records.db", actor="test", create=True) as made:
        append_sample(made)
        blob = made.put_blob(b"prompt", "text/plain")
        for number, reviewer in ((1, "glm"), (1, "minimax"), (2, "minimax")):
            name = f"{RUN}-{reviewer}-{number}"
            made.append(Attempt(attempt=name, run=RUN, reviewer=reviewer, number=number, prompt=blob, nonce="aaaaaaaa"))
            if (reviewer, number) != ("minimax", 1):
                made.append(
                    Response(
                        attempt=name, raw=blob, finish_reason="stop", served_model=f"{reviewer}-served",
                        prompt_tokens=900, completion_tokens=100, elapsed_s=3.5, cost=0.02, failure=None, detail="",
                    )
                )  # fmt: skip
        yield made


def test_every_call_with_what_it_cost(ledger: Ledger) -> None:
    first, second, third = calls(ledger)
    assert first == Call(RUN, KNOBS, "glm", 1, "glm-served", 900, 100, 3.5, 0.02, "complete", 1)
    assert (second.cost, second.elapsed_s, second.ended) == (None, None, "complete")
    assert (third.number, third.cost, third.ended) == (2, 0.02, "answered")
    assert calls(ledger, "0099-other") == ()


def test_predictions_against_the_verdicts_that_came_after_them(ledger: Ledger) -> None:
    found = {(one.hypothesis.reviewer, (one.hypothesis.arm or {}).get("name")): one.outcome for one in scored(ledger)}
    assert found["glm", "parallel-4"] is Outcome.CONFIRMED
    assert found["glm", "one-thread"] is Outcome.REFUTED
    assert found["minimax", "v-cache-q8"] is Outcome.NOT_MEASURED, "it was refused by the engine"
    assert found["gemma", None] is Outcome.NOT_MEASURED
    late = Hypothesis.model_validate(
        {**ledger.of(Hypothesis)[0][1].as_json(), "hypothesis": "later/1", "reviewer": "late"}
    )
    ledger.append(late)
    assert scored(ledger)[-1].outcome is Outcome.NOT_MEASURED, "who predicts what is known predicts nothing"


def test_another_servers_verdict_says_nothing_about_a_prediction(ledger: Ledger) -> None:
    run, verdict = ledger.of(MeasuringRun)[0][1], ledger.of(Verdict, arm_name="one-thread", primary=True)[0][1]
    moved = {"run": "measure-20260808-other", "target": "another-server"}
    ledger.append(run.model_copy(update=moved))
    interval = verdict.interval
    assert interval is not None
    span = interval.model_copy(update={"estimate_pct": 0.0, "low_pct": -1.0, "high_pct": 1.0})
    ledger.append(verdict.model_copy(update=moved | {"speed": "SAME", "interval": span}))
    ledger.append(RunEnd(run=moved["run"], outcome="completed", reason=None, detail="a sentence", downtime_s=1))
    found = {(one.hypothesis.reviewer, (one.hypothesis.arm or {}).get("name")): one.outcome for one in scored(ledger)}
    assert found["glm", "one-thread"] is Outcome.REFUTED, "same was predicted, and this server was slower"


def test_standings_are_by_name_and_say_what_a_confirmed_one_cost(ledger: Ledger) -> None:
    found = {standing.record.reviewer: standing for standing in standings(ledger)}
    assert list(found) == ["agent", "gemma", "glm", "minimax"]
    glm = found["glm"]
    assert (glm.complete, glm.excluded, glm.record.confirmed, glm.record.decided) == (1, 0, 1, 2)
    assert glm.cost_a_confirmed == pytest.approx(0.02)
    assert (found["agent"].excluded, found["agent"].cost_a_confirmed) == (1, None)


def test_a_reviewer_who_was_wrong_is_not_made_right_by_withholding_what_was_said(ledger: Ledger) -> None:
    before = {standing.record.reviewer: standing for standing in standings(ledger)}
    outcomes = [one.outcome for one in scored(ledger)]
    told = [(entry, one) for entry, one in ledger.of(Hypothesis) if one.reviewer == "glm"]
    withhold(ledger, Wanted([entry.id for entry, _ in told]), reason="a key stood in it", person="Ada")
    assert ledger.of(Hypothesis, reviewer="glm") == []
    assert [one.outcome for one in scored(ledger)] == outcomes
    after = {standing.record.reviewer: standing for standing in standings(ledger)}
    assert after["glm"].record == replace(before["glm"].record, withheld=len(told)) and after["glm"].gone == 0
    assert [after[name] for name in after if name != "glm"] == [before[name] for name in before if name != "glm"]
    (page,) = [page for page in reviewer_pages(Record.of(read_history(ledger))) if page.name == "glm"]
    assert page.score == after["glm"].record
    assert {(one.scored.withheld, one.scored.hypothesis.mechanism) for one in page.told} == {(True, "")}


def test_what_is_gone_with_its_numbers_is_counted_from_the_reviews(ledger: Ledger) -> None:
    known = [one for _, one in ledger.of(Hypothesis)]
    reviews = [one for _, one in ledger.of(Review)]
    assert gone(reviews, known).total() == 0
    assert gone(reviews, [one for one in known if one.reviewer != "glm"]) == {
        "glm": sum(one.reviewer == "glm" for one in known)
    }


def test_no_score_changes_a_rank(ledger: Ledger, tmp_path: Path) -> None:
    def shown(place: Ledger) -> str:
        console = Console(width=200, record=True, file=io.StringIO())
        measured_table(place, KNOBS_RUN.run).print(console)
        return console.export_text()

    with Ledger.open(tmp_path / "other.db", actor="test", create=True) as other:
        append_sample(other)
        before = shown(other)
        for _, told in other.of(Hypothesis):
            said = told.prediction.model_copy(
                update={"direction": "down", "low_pct": -90.0, "high_pct": -80.0, "confidence": 1.0}
            )
            other.append(told.model_copy(update={"prediction": said, "hypothesis": f"{told.hypothesis}-turned"}))
        assert standings(other) != standings(ledger)
        assert shown(other) == before
        assert "parallel-4" in before and "parallel-4" in build(other)
    assert ledger.of(ReviewRun)[0][1].run == RUN
