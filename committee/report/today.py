"""Pure: where one arm stands today and what a person does next. The page and the measured table both ask here."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from committee.report.history import History, Stamped
from committee.report.next_step import NextStep, after_baseline_change, after_verdict
from committee.report.outlook import NOTHING_KNOWN, Outlook
from committee.report.runs import RunView
from committee.report.standing import standing
from committee.report.words import day
from harness.workflow.going_on import asks_for_identity
from ledger.entries import Acceptance, NotApplied, Verdict


class State(StrEnum):
    """Where a line stands today, in order of the table."""

    ACCEPTED = "accepted, production started with it"
    WAITING = "accepted, not yet started with"
    OVERTURNED = "overturned"
    SUPERSEDED = "accepted, then superseded"
    MEASURED = "measured, not applied"
    INVALID = "invalid"
    VOID = "run void"
    UNMEASURED = "not measured"
    PARKED = "parked"


@dataclass(frozen=True)
class Today:
    """One arm that has a verdict."""

    state: State
    why: str  # the reason of the state, in recorded words; may be empty
    next: NextStep


def today(
    history: History, views: Sequence[RunView], view: RunView, verdict: Verdict, outlook: Outlook = NOTHING_KNOWN
) -> Today:
    """The arm of `verdict`, which is its newest in `views`, the runs of one question; `view` is the verdict's run."""
    accepted = _newest_acceptance(history, verdict)
    if accepted is not None:
        return _accepted(history, views, accepted, verdict)
    note = not_applied(history, verdict)
    if verdict.validity != "VALID":
        state, why = State.INVALID, "; ".join(verdict.reasons) or verdict.validity
    else:
        state, why = State.MEASURED, f"{note.reason} ({note.person})" if note else ""
    if note is not None:
        return Today(state, why, NextStep("decided: not applied"))
    older = measured_before(history, verdict, view) is not None or outlook.moved_on(view.begun.payload)
    no_case = verdict.numerics == "CHANGED" and asks_for_identity(view.begun.payload.criteria)
    if older and verdict.speed in ("FASTER", "AMBIGUOUS") and not no_case:
        return Today(state, why, after_baseline_change(view.begun.payload, verdict.arm_name))
    guards = [item.payload for item in view.guards(verdict.arm)]
    return Today(state, why, after_verdict(view.begun.payload, verdict, guards, outlook))


def overturning(views: Sequence[RunView], old: Verdict, run: RunView) -> RunView | None:
    """The later run whose verdict on the same arm, metric and load contradicts `old`, against the same baseline."""
    if old.speed in (None, "AMBIGUOUS") or run.void:
        return None
    for later in views:
        same_baseline = later.begun.payload.target_sha256 == run.begun.payload.target_sha256
        if later.void or later.begun.seq <= run.begun.seq or not same_baseline:
            continue
        for item in later.verdicts:
            new = item.payload
            same = (new.target, new.arm, new.metric, new.load) == (old.target, old.arm, old.metric, old.load)
            if same and new.speed not in (None, "AMBIGUOUS", old.speed):
                return later
    return None


def measured_before(history: History, verdict: Verdict, run: RunView) -> Stamped[Acceptance] | None:
    """The first later acceptance that changed the target's baseline, unless it is this arm's own (lesson R3)."""
    return next(
        (
            item
            for item in history.acceptances
            if item.seq > run.begun.seq and item.payload.target == verdict.target and item.payload.arm != verdict.arm
        ),
        None,
    )


def not_applied(history: History, verdict: Verdict) -> NotApplied | None:
    """What a person said when leaving this measured arm out."""
    found = [item.payload for item in history.not_applied if item.payload.run == verdict.run]
    return next((item for item in reversed(found) if item.arm == verdict.arm), None)


def _newest_acceptance(history: History, verdict: Verdict) -> Stamped[Acceptance] | None:
    found = [
        item
        for item in history.acceptances
        if item.payload.arm == verdict.arm and item.payload.target == verdict.target
    ]
    return found[-1] if found else None


def _accepted(history: History, views: Sequence[RunView], last: Stamped[Acceptance], newest: Verdict) -> Today:
    """An arm that was accepted: superseded, overturned since, waiting for production's start, or in force."""
    replaced = history.superseded_by(last.id)
    if replaced is not None:
        why = f"superseded by {replaced.payload.arm_name} on {day(replaced.time)}"
        return Today(State.SUPERSEDED, why, NextStep("a later acceptance stands on it: nothing to do"))
    for view in views:
        for item in view.primary:
            rests = view.begun.payload.run == last.payload.run and item.payload.arm == last.payload.arm
            if rests and overturning(views, item.payload, view) is not None:
                why = f"accepted {day(last.time)} as {item.payload.speed}, measured {newest.speed} since"
                return Today(State.OVERTURNED, why, NextStep("accepted on evidence that no longer holds: decide again"))
    now = standing(history, last)
    why = f"{day(last.time)} by {last.payload.person}: {last.payload.reason}"
    if now.started:
        return Today(State.ACCEPTED, why, NextStep(f"{now.words}: nothing to do"))
    return Today(State.WAITING, why, NextStep(f"accepted; {now.words}", now.command))
