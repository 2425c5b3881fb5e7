"""An accepted arm is in force only once production is on record as started with it; a stop is no lost production."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from committee.report.entries import Category, dated_entries
from committee.report.history import History, Stamped, read_history
from committee.report.lines import questions
from committee.report.next_step import NextStep
from committee.report.page import render
from committee.report.runs import run_views
from committee.report.standing import missing, standing
from committee.report.today import State
from ledger.entries import Invalidation, Launch, TargetState
from ledger.store import Ledger
from tests.committee.report.sample import KNOBS, TARGET, Effect, Plan, append_acceptance, append_run, fingerprint, state

EFFECTS = {"one": Effect(40.0), "two": Effect(35.0), "other-text": Effect(35.0, numerics="CHANGED")}
RUN = Plan(run="measure-run-one", proposal=KNOBS, effects=EFFECTS)
START, RESTART = f"harness start {TARGET}", f"harness stop {TARGET} && harness start {TARGET}"
LOOK = f"harness attest {TARGET} --record"


def seen(what: str, accepted: str | None = None, by: str = "a person's command") -> TargetState:
    """Production outside a run."""
    value = {"target": TARGET, "state": what, "by": by, "run": None, "pid": None, "start_time": None, "url": None}
    return TargetState.model_validate({**value, "accepted": accepted, "evidence": "stopped by process id"})


@pytest.fixture(scope="module")
def decided(tmp_path_factory: pytest.TempPathFactory) -> Iterator[History]:
    """One arm of a run accepted; production was started with it before the decision, which says nothing of it."""
    with Ledger.open(tmp_path_factory.mktemp("standing") / "records.db", actor="test", create=True) as ledger:
        ledger.append(seen("up", fingerprint("one")))
        append_acceptance(ledger, "one", RUN, append_run(ledger, RUN), None)
        yield read_history(ledger)


@pytest.mark.parametrize(
    ("states", "started", "words", "command"),
    [
        ((), False, "production has not been started with it", RESTART),
        ((("taken_down", None),), False, "production has not been started with it", START),
        ((("up", fingerprint("one")),), True, "production was started with it: seen on 20", None),
        ((("up", fingerprint("one")), ("taken_down", None)), True, "production was started with it", None),
        ((("up", ""),), False, "production was started without it on 20", RESTART),
        ((("up", fingerprint("one")), ("up", "")), False, "production was started without it", RESTART),
        ((("up", fingerprint("other")),), False, "production was started without it", RESTART),
        ((("up", None),), False, "but not shown to run as the target's files say now", LOOK),
        ((("up", None), ("up", fingerprint("one"))), True, "production was started with it", None),
    ],
)
def test_what_an_acceptance_waits_for(
    decided: History, states: tuple[tuple[str, str | None], ...], started: bool, words: str, command: str | None
) -> None:
    later = (
        Stamped(decided.head_seq + 1 + number, "", decided.head_time, "test", seen(what, accepted))
        for number, (what, accepted) in enumerate(states)
    )
    history = replace(decided, states=(*decided.states, *later))
    now = standing(history, history.acceptances[-1])
    assert (now.started, now.command) == (started, command) and words in now.words
    (question,) = questions(history, run_views(history))
    one = next(line for line in question.lines if line.name == "one")
    assert one.state is (State.ACCEPTED if started else State.WAITING)
    assert one.next.command == command and "committee accept" not in one.next.words
    (entry,) = dated_entries(history, run_views(history))[Category.ACCEPTANCES]
    assert entry.marks[0] == ("in force" if started else f"not yet started with: {now.words}")


def test_after_an_acceptance_other_arms_are_measured_anew_and_not_accepted(decided: History) -> None:
    (question,) = questions(decided, run_views(decided))
    two = next(line for line in question.lines if line.name == "two")
    assert two.next.words == "measured against an older baseline: measure again to decide"
    assert two.next.command == f"committee measure {KNOBS} --arm two"
    changed = next(line for line in question.lines if line.name == "other-text")
    assert changed.next.command is None and "the criteria ask for identical text: no case" in changed.next.words


def test_a_stop_by_a_person_is_no_alarm_and_names_what_shows_more(empty: Ledger) -> None:
    empty.append(seen("up", ""))
    empty.append(seen("taken_down"))
    history = read_history(empty)
    (found,) = missing(history)
    assert not found.alarm and found.commands == (LOOK, START)
    assert "by a person's command (stopped by process id), and no later start is on record" in found.words
    newest, _ = dated_entries(history, ())[Category.PRODUCTION]
    assert newest.marks == ("stopped; no later start is on record",)
    page = render(history)
    assert "is down on record" in page and "not shown to be back" not in page and LOOK in page
    empty.append(seen("restored"))
    assert missing(read_history(empty)) == ()


def test_a_run_that_did_not_bring_it_back_is_an_alarm(empty: Ledger) -> None:
    empty.append(state("measure-run-one", "taken_down", "SIGTERM sent"))
    (found,) = missing(read_history(empty))
    assert found.alarm and found.commands == (LOOK, f"harness restore {TARGET}")
    assert (
        "was taken down for run measure-run-one at 20" in found.words and "a measurement may be running" in found.words
    )
    empty.append(seen("restore_failed"))
    (found,) = missing(read_history(empty))
    assert found.alarm and found.words.startswith("did not come back at 20")


def test_what_was_never_up_is_started_and_not_restored(empty: Ledger) -> None:
    empty.append(seen("restore_failed"))
    (found,) = missing(read_history(empty))
    assert found.commands == (LOOK, START)


def test_what_rests_on_a_struck_launch_is_open_again_and_is_measured_or_decided_anew(empty: Ledger) -> None:
    append_acceptance(empty, "one", RUN, append_run(empty, RUN), None)
    for struck, launch in empty.of(Launch, block=0):
        if launch.arm in (fingerprint("one"), fingerprint("two")):
            empty.append(Invalidation(subject=struck.id, fact=None, reason="throttled", person="Ada"))
    history = read_history(empty)
    (question,) = questions(history, run_views(history))
    lines = {line.name: line for line in question.lines}
    assert {name for name, line in lines.items() if line.state is State.REOPENED} == {"one", "two"}
    assert lines["one"].next == NextStep("accepted on evidence that no longer holds: decide again")
    assert lines["two"].next.command == f"committee measure {KNOBS} --arm two"
    assert lines["two"].why.startswith("open again: entry #") and lines["two"].why.endswith("struck by Ada: throttled")
    (entry,) = dated_entries(history, run_views(history))[Category.ACCEPTANCES]
    assert any(mark.startswith("open again: entry #") for mark in entry.marks)
