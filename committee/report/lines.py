"""Pure: from the history to the table of lines, one per question and arm, with today's number and state (lesson R1)."""

from collections.abc import Sequence
from dataclasses import dataclass

from committee.report.history import History, grouped
from committee.report.next_step import NextStep, after_void, not_measured
from committee.report.outlook import NOTHING_KNOWN, Outlook
from committee.report.phrases import Phrase
from committee.report.runs import Runs, RunView
from committee.report.today import State, measured_before, today
from committee.report.words import day, percent
from ledger.entries import Parked, Verdict

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
    headers = {item.payload.proposal: item.payload for item in history.proposals}
    arms = grouped(history.arms, lambda item: (item.payload.proposal, item.payload.target))
    runs = grouped(views, lambda view: (view.begun.payload.proposal, view.begun.payload.target))
    asked = ((item.payload.proposal, item.payload.target) for item in history.proposals)
    keys: dict[tuple[str | None, str], None] = dict.fromkeys([*asked, *arms, *runs])
    return tuple(
        Question(
            proposal=proposal,
            title=headers[proposal].title if proposal in headers else Phrase("no_proposal"),
            question=headers[proposal].question if proposal in headers else "",
            target=target,
            lines=_lines(
                history,
                Runs(runs.get((proposal, target), ())),
                proposal,
                [item.payload.fingerprint for item in arms.get((proposal, target), ())],
                outlook,
            ),
        )
        for proposal, target in reversed(keys)
    )


def _lines(
    history: History, views: Runs, proposal: str | None, admitted: list[str], outlook: Outlook
) -> tuple[Line, ...]:
    arms = dict.fromkeys(admitted + [arm for view in views for arm in view.begun.payload.arms])
    lines = [_line(history, views, (proposal, arm), outlook) for arm in arms]
    return tuple(sorted([*lines, *_parked(history, proposal, set(arms))], key=_rank))


def _rank(line: Line) -> tuple[int, int, float, str]:
    interval = line.verdict.interval if line.verdict else None
    speed = line.verdict.speed if line.verdict else None
    return (
        list(State).index(line.state),
        SPEED_ORDER.index(speed),
        -interval.estimate_pct if interval else 0.0,
        line.name,
    )


def _line(history: History, views: Runs, key: tuple[str | None, str], outlook: Outlook) -> Line:
    proposal, arm = key
    name = history.arm_name(arm)
    found = [(view, item) for view in views if not view.void for item in view.primary if item.payload.arm == arm]
    if not found:
        return _without_number(views, proposal, arm, name, history)
    view, item = found[-1]
    now = today(history, views, view, item.payload, outlook)
    return Line(name, now.state, now.why, now.next, item.payload, view, _marks(history, views, view, item.payload))


def _without_number(views: Runs, proposal: str | None, arm: str, name: str, history: History) -> Line:
    parked = [item.payload for item in history.parked_in(proposal) if proposal and item.payload.subject == name]
    if parked:
        return _parked_line(name, parked[-1])
    void = [view for view in views if view.void and arm in view.begun.payload.arms]
    if void and void[-1].ended is not None:
        return Line(name, State.VOID, void[-1].ended.payload.detail, after_void(proposal, name), None, void[-1], ())
    return Line(name, State.UNMEASURED, "", not_measured(proposal, name), None, None, ())


def _marks(history: History, views: Runs, view: RunView, verdict: Verdict) -> tuple[str, ...]:
    marks: list[str] = list(view.labels)
    changed = measured_before(history, verdict, view)
    if changed is not None and verdict.interval is not None:
        marks.append(Phrase("measured_before", arm=changed.payload.arm_name, day=day(changed.time)))
    for earlier in views:
        for item in earlier.primary:
            old = item.payload
            if old.arm == verdict.arm and old.interval and views.overturning(old) is view:
                was = percent(old.interval.estimate_pct)
                marks.append(Phrase("overturns", speed=old.speed or "", change=was, day=day(earlier.begun.time)))
    return tuple(marks)


def _parked(history: History, proposal: str | None, arms: set[str]) -> list[Line]:
    names = {history.arm_name(arm) for arm in arms}
    return [
        _parked_line(item.payload.subject, item.payload)
        for item in history.parked_in(proposal)
        if proposal is not None and item.payload.subject not in names
    ]


def _parked_line(name: str, parked: Parked) -> Line:
    why = Phrase("by_person", reason=parked.reason, person=parked.person)
    return Line(name, State.PARKED, why, NextStep(""), None, None, ())
