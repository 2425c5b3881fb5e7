"""Pure: from the history to the table of lines, one per question and arm, with today's number and state (lesson R1)."""

from collections.abc import Sequence
from dataclasses import dataclass

from committee.report.history import History
from committee.report.next_step import NextStep, after_void, not_measured
from committee.report.outlook import NOTHING_KNOWN, Outlook
from committee.report.runs import RunView
from committee.report.today import State, measured_before, overturning, today
from committee.report.words import day, percent
from ledger.entries import Proposal, Verdict

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


def questions(history: History, views: Sequence[RunView], outlook: Outlook = NOTHING_KNOWN) -> tuple[Question, ...]:
    """Every question, newest proposal first; lines in order of state, then of measured change."""
    keys = dict.fromkeys(
        [(item.payload.proposal, item.payload.target) for item in history.proposals]
        + [(item.payload.proposal, item.payload.target) for item in history.arms]
        + [(view.begun.payload.proposal, view.begun.payload.target) for view in views]
    )
    return tuple(_question(history, views, key, outlook) for key in reversed(keys))


def _question(history: History, views: Sequence[RunView], key: tuple[str | None, str], outlook: Outlook) -> Question:
    proposal, target = key
    mine = [view for view in views if (view.begun.payload.proposal, view.begun.payload.target) == (proposal, target)]
    header = _header(history, proposal)
    admitted = [
        item.payload.fingerprint
        for item in history.arms
        if (item.payload.proposal, item.payload.target) == (proposal, target)
    ]
    arms = dict.fromkeys(admitted + [arm for view in mine for arm in view.begun.payload.arms])
    lines = [_line(history, mine, (proposal, arm), outlook) for arm in arms] + _parked(history, proposal, set(arms))
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


def _line(history: History, views: list[RunView], key: tuple[str | None, str], outlook: Outlook) -> Line:
    proposal, arm = key
    name = history.arm_name(arm)
    found = [
        (view, item.payload) for view in views if not view.void for item in view.primary if item.payload.arm == arm
    ]
    if not found:
        return _without_number(views, proposal, arm, name, history)
    view, verdict = found[-1]
    now = today(history, views, view, verdict, outlook)
    return Line(name, now.state, now.why, now.next, verdict, view, _marks(history, views, view, verdict))


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
