"""The table of lines: one a question and arm, with today's state."""

from dataclasses import replace

from committee.report.history import History, read_history
from committee.report.lines import Line, Question, questions
from committee.report.next_step import NextStep
from committee.report.runs import RunView, run_views
from committee.report.today import State
from ledger.entries import Parked
from ledger.store import Ledger
from tests.committee.report.sample import (
    BATCH,
    KNOBS,
    LATER_RUN,
    Effect,
    Plan,
    append_acceptance,
    append_arms,
    append_proposal,
    append_run,
    fingerprint,
)


def line(found: tuple[Question, ...], proposal: str | None, name: str) -> Line:
    """The line of one arm."""
    question = next(one for one in found if one.proposal == proposal)
    return next(one for one in question.lines if one.name == name)


def test_questions_come_newest_first_and_lines_by_state_then_measured_change(
    history: History, views: tuple[RunView, ...]
) -> None:
    found = questions(history, views)
    assert [question.proposal for question in found] == [BATCH, KNOBS]
    assert [(one.name, one.state) for one in found[0].lines] == [
        ("parallel-8", State.WAITING),
        ("batch-256", State.MEASURED),
        ("ubatch-1024", State.MEASURED),
        ("mlock", State.UNMEASURED),
        ("time to first token doubles at four users now and then", State.PARKED),
    ]
    assert [(one.name, one.state) for one in found[1].lines] == [
        ("parallel-4", State.SUPERSEDED),
        ("kv-q8", State.MEASURED),
        ("no-op", State.MEASURED),
        ("one-thread", State.MEASURED),
        ("v-cache-q8", State.INVALID),
    ]


def test_todays_number_is_the_newest_of_a_run_that_stands(history: History, views: tuple[RunView, ...]) -> None:
    now = line(questions(history, views), BATCH, "ubatch-1024")
    assert now.run is not None
    assert now.verdict is not None
    assert now.run.begun.payload.run == LATER_RUN.run
    assert now.verdict.speed == "SAME"
    assert any(mark.startswith("overturns FASTER (+18.") for mark in now.marks)


def test_states_carry_their_reason(history: History, views: tuple[RunView, ...]) -> None:
    found = questions(history, views)
    assert line(found, KNOBS, "v-cache-q8").why.endswith("V cache quantization requires flash_attn")
    assert line(found, KNOBS, "parallel-4").why.startswith("superseded by parallel-8 on 20")
    assert line(found, KNOBS, "kv-q8").why == "the text changes and nothing is gained for it (Ada)"
    assert line(found, KNOBS, "kv-q8").next.words == "decided: not applied"
    assert "by Ada: clears the 10 %" in line(found, BATCH, "parallel-8").why


def test_rows_of_an_older_baseline_are_marked(history: History, views: tuple[RunView, ...]) -> None:
    found = questions(history, views)
    assert line(found, BATCH, "parallel-8").marks == ()
    assert line(found, KNOBS, "no-op").marks[0].startswith("measured before the baseline changed to parallel-4 on 20")
    assert line(found, BATCH, "batch-256").next.words.startswith("measured against an older baseline")


def test_an_arm_nobody_measured_says_how(history: History, views: tuple[RunView, ...]) -> None:
    assert line(questions(history, views), BATCH, "mlock").next.command == f"committee measure {BATCH} --arm mlock"


def test_an_arm_with_void_runs_only_has_no_number(history: History, views: tuple[RunView, ...]) -> None:
    void = line(questions(history, views[:2]), BATCH, "ubatch-1024")
    assert (void.state, void.verdict) == (State.VOID, None)
    assert "excludes 0" in void.why


def test_an_accepted_arm_that_a_later_run_contradicts_is_overturned(empty: Ledger) -> None:
    append_proposal(empty, KNOBS, "title", "question")
    first = Plan(run="measure-run-one", proposal=KNOBS, effects={"one": Effect(40.0)}, sd_pct=0.5)
    append_acceptance(empty, "one", first, append_run(empty, first), None)
    append_run(empty, replace(first, run="measure-run-two", effects={"one": Effect(0.0)}, seed=8))
    history = read_history(empty)
    now = line(questions(history, run_views(history)), KNOBS, "one")
    assert now.state is State.OVERTURNED
    assert now.why.endswith("as FASTER, measured SAME since")
    assert "decide again" in now.next.words


def test_the_new_baseline_measured_against_itself_overturns_nothing(empty: Ledger) -> None:
    append_proposal(empty, KNOBS, "title", "question")
    first = Plan(run="measure-run-one", proposal=KNOBS, effects={"one": Effect(40.0)}, sd_pct=0.5)
    append_acceptance(empty, "one", first, append_run(empty, first), None)
    again = replace(first, run="measure-run-two", effects={"one": Effect(0.0)}, seed=8, target_sha256="9" * 64)
    append_run(empty, again)
    history = read_history(empty)
    assert line(questions(history, run_views(history)), KNOBS, "one").state is State.WAITING


def test_a_parked_arm_and_arms_without_a_proposal(empty: Ledger) -> None:
    append_proposal(empty, KNOBS, "title", "question")
    append_arms(empty, KNOBS, ["one"])
    empty.append(Parked(subject="one", proposal=KNOBS, reason="not understood", person="Ada"))
    append_run(empty, Plan(run="measure-run-alone", proposal=None, effects={"two": Effect(30.0)}, sd_pct=0.5))
    history = read_history(empty)
    found = questions(history, run_views(history))
    assert (line(found, KNOBS, "one").state, line(found, KNOBS, "one").why) == (State.PARKED, "not understood (Ada)")
    assert len(next(one for one in found if one.proposal == KNOBS).lines) == 1
    assert line(found, None, "two").next == NextStep("put it into a proposal to accept it")


def test_an_arm_is_named_by_its_fingerprint_where_nothing_names_it(history: History) -> None:
    assert history.arm_name(fingerprint("parallel-4")) == "parallel-4"
    assert history.arm_name("f" * 64) == "f" * 12
    assert history.arm_name(None) == ""
