"""Pure: from the history to the table of lines, one per question and arm, with today's number and state (lesson R1)."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from committee.report.history import History, Stamped
from committee.report.next_step import NextStep, after_baseline_change, after_verdict, after_void, not_measured
from committee.report.runs import RunView
from committee.report.words import day, percent
from ledger.entries import Acceptance, NotApplied, Proposal, Verdict


class State(StrEnum):
    """Where a line stands today, in order of the table."""

    ACCEPTED = "accepted"
    OVERTURNED = "overturned"
    SUPERSEDED = "accepted, then superseded"
    MEASURED = "measured, not applied"
    INVALID = "invalid"
    VOID = "run void"
    UNMEASURED = "not measured"
    PARKED = "parked"


SPEED_ORDER = ("FASTER", "AMBIGUOUS", "SAME", "SLOWER", None)


@dataclass(frozen=True)
class Line:
    """One arm of one question as it stands today."""

    name: str
    state: State
    why: str  # the reason of the state, in recorded words; may be empty
    next: NextStep
    verdict: Verdict | None  # the newest verdict of a run that stands
    run: RunView | None  # the run it comes from
    marks: tuple[str, ...]  # measured before, overturns, simulated


@dataclass(frozen=True)
class Question:
    """One proposal (or none) at one target, and its lines."""

    proposal: str | None
    title: str
    question: str
    target: str
    lines: tuple[Line, ...]

    @property
    def anchor(self) -> tuple[str, str]:
        """What makes it unique."""
        return self.proposal or "", self.target


def questions(history: History, views: Sequence[RunView]) -> tuple[Question, ...]:
    """Every question, newest proposal first; lines in order of state, then of measured change."""
    keys = dict.fromkeys(
        [(item.payload.proposal, item.payload.target) for item in history.proposals]
        + [(item.payload.proposal, item.payload.target) for item in history.arms]
        + [(view.begun.payload.proposal, view.begun.payload.target) for view in views]
    )
    return tuple(_question(history, views, proposal, target) for proposal, target in reversed(keys))


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


def _question(history: History, views: Sequence[RunView], proposal: str | None, target: str) -> Question:
    mine = [view for view in views if (view.begun.payload.proposal, view.begun.payload.target) == (proposal, target)]
    header = _header(history, proposal)
    admitted = [
        item.payload.fingerprint
        for item in history.arms
        if (item.payload.proposal, item.payload.target) == (proposal, target)
    ]
    arms = dict.fromkeys(admitted + [arm for view in mine for arm in view.begun.payload.arms])
    lines = [_line(history, mine, proposal, arm) for arm in arms] + _parked(history, proposal, set(arms))
    return Question(
        proposal=proposal,
        title=header.title if header else "Arms measured without a proposal",
        question=header.question if header else "",
        target=target,
        lines=tuple(sorted(lines, key=_rank)),
    )


def _header(history: History, proposal: str | None) -> Proposal | None:
    found = [item.payload for item in history.proposals if item.payload.proposal == proposal]
    return found[-1] if found else None


def _rank(line: Line) -> tuple[int, int, float, str]:
    interval = line.verdict.interval if line.verdict else None
    speed = line.verdict.speed if line.verdict else None
    return (
        list(State).index(line.state),
        SPEED_ORDER.index(speed),
        -interval.estimate_pct if interval else 0.0,
        line.name,
    )


def _line(history: History, views: list[RunView], proposal: str | None, arm: str) -> Line:
    name = history.arm_name(arm)
    found = [
        (view, item.payload) for view in views if not view.void for item in view.primary if item.payload.arm == arm
    ]
    if not found:
        return _without_number(views, proposal, arm, name, history)
    view, verdict = found[-1]
    state, why = _state(history, views, arm, found)
    return Line(
        name, state, why, _next(history, view, verdict, state), verdict, view, _marks(history, views, view, verdict)
    )


def _next(history: History, view: RunView, verdict: Verdict, state: State) -> NextStep:
    settled = {
        State.ACCEPTED: NextStep("in force: nothing to do"),
        State.SUPERSEDED: NextStep("a later acceptance stands on it: nothing to do"),
        State.OVERTURNED: NextStep("accepted on evidence that no longer holds: decide again"),
    }
    if state in settled:
        return settled[state]
    if _not_applied(history, verdict) is not None:
        return NextStep("decided: not applied")
    if verdict.speed in ("FASTER", "AMBIGUOUS") and measured_before(history, verdict, view) is not None:
        return after_baseline_change(view.begun.payload.proposal, verdict.arm_name)
    return after_verdict(view.begun.payload, verdict, [item.payload for item in view.guards(verdict.arm)])


def _without_number(views: list[RunView], proposal: str | None, arm: str, name: str, history: History) -> Line:
    parked = [
        item.payload for item in history.parked if item.payload.proposal == proposal and item.payload.subject == name
    ]
    if parked:
        return Line(name, State.PARKED, f"{parked[-1].reason} ({parked[-1].person})", NextStep(""), None, None, ())
    void = [view for view in views if view.void and arm in view.begun.payload.arms]
    if void and void[-1].ended is not None:
        return Line(name, State.VOID, void[-1].ended.payload.detail, after_void(proposal, name), None, void[-1], ())
    return Line(name, State.UNMEASURED, "", not_measured(proposal, name), None, None, ())


def _state(history: History, views: list[RunView], arm: str, found: list[tuple[RunView, Verdict]]) -> tuple[State, str]:
    verdict = found[-1][1]
    accepted = [
        item for item in history.acceptances if item.payload.arm == arm and item.payload.target == verdict.target
    ]
    if accepted:
        return _accepted(history, views, accepted[-1], found)
    if verdict.validity != "VALID":
        return State.INVALID, "; ".join(verdict.reasons) or verdict.validity
    note = _not_applied(history, verdict)
    return State.MEASURED, f"{note.reason} ({note.person})" if note else ""


def _accepted(
    history: History, views: list[RunView], last: Stamped[Acceptance], found: list[tuple[RunView, Verdict]]
) -> tuple[State, str]:
    replaced = history.superseded_by(last.id)
    if replaced is not None:
        return State.SUPERSEDED, f"superseded by {replaced.payload.arm_name} on {day(replaced.time)}"
    for view, verdict in found:
        if view.begun.payload.run == last.payload.run:
            later = overturning(views, verdict, view)
            if later is not None:
                new = found[-1][1]
                return State.OVERTURNED, f"accepted {day(last.time)} as {verdict.speed}, measured {new.speed} since"
    return State.ACCEPTED, f"{day(last.time)} by {last.payload.person}: {last.payload.reason}"


def _not_applied(history: History, verdict: Verdict) -> NotApplied | None:
    found = [item.payload for item in history.not_applied if item.payload.run == verdict.run]
    return next((item for item in reversed(found) if item.arm == verdict.arm), None)


def _marks(history: History, views: list[RunView], view: RunView, verdict: Verdict) -> tuple[str, ...]:
    marks = list(view.labels)
    changed = measured_before(history, verdict, view)
    if changed is not None and verdict.interval is not None:
        marks.append(f"measured before the baseline changed to {changed.payload.arm_name} on {day(changed.time)}")
    for earlier in views:
        for item in earlier.primary:
            old = item.payload
            if old.arm == verdict.arm and overturning(views, old, earlier) is view and old.interval:
                marks.append(
                    f"overturns {old.speed} ({percent(old.interval.estimate_pct)}) of {day(earlier.begun.time)}"
                )
    return tuple(marks)


def _parked(history: History, proposal: str | None, arms: set[str]) -> list[Line]:
    names = {history.arm_name(arm) for arm in arms}
    return [
        Line(
            item.payload.subject,
            State.PARKED,
            f"{item.payload.reason} ({item.payload.person})",
            NextStep(""),
            None,
            None,
            (),
        )
        for item in history.parked
        if item.payload.proposal == proposal and proposal is not None and item.payload.subject not in names
    ]
