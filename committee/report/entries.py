"""Pure: from the history to dated entries in seven categories, newest first; nothing is left out, marks say more."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from committee.report.claims import Claim, claims
from committee.report.history import History, Stamped
from committee.report.runs import RunView
from committee.report.standing import DOWN, came_back, standing
from committee.report.today import measured_before, overturning
from committee.report.words import day, minute, minutes, plural, short
from ledger.entries import Acceptance, ReviewRun, TargetState

IN_FORCE = "in force"


class Category(StrEnum):
    """The seven categories, in order of the page."""

    MEASUREMENTS = "Measurements"
    ACCEPTANCES = "Acceptances"
    REVIEWS = "Reviews and briefs"
    EXCLUSIONS = "Exclusions"
    PRODUCTION = "Production taken down and restored"
    PARKED = "Parked and not applied"
    VOID = "Voided runs"


@dataclass(frozen=True)
class Fact:
    """One labelled line of an entry."""

    label: str
    text: str


@dataclass(frozen=True)
class DatedEntry:
    """One entry of the page."""

    category: Category
    seq: int
    id: str
    time: str
    title: str
    facts: tuple[Fact, ...] = ()
    marks: tuple[str, ...] = ()
    kept: bool = False  # right at its time and no longer in force: shown struck, never removed
    run: RunView | None = None
    claims: tuple[Claim, ...] = ()


def dated_entries(history: History, views: Sequence[RunView]) -> dict[Category, tuple[DatedEntry, ...]]:
    """Every category with its entries, newest first; a category without entries is there and empty."""
    everything = [
        *(_measurement(history, views, view) for view in views),
        *(_acceptance(history, views, item) for item in history.acceptances),
        *(_review(history, views, item) for item in history.review_runs),
        *_exclusions(history),
        *_production(history),
        *_set_aside(history),
    ]
    newest = sorted(everything, key=lambda entry: entry.seq, reverse=True)
    return {category: tuple(entry for entry in newest if entry.category is category) for category in Category}


def _measurement(history: History, views: Sequence[RunView], view: RunView) -> DatedEntry:
    run, end = view.begun.payload, view.ended
    facts = [
        Fact("plan", f"{plural(run.blocks, 'block')}, {plural(len(run.slots), 'launch', 'launches')}, seed {run.seed}"),
    ]
    if end is None:
        facts.append(Fact("end", "no end is recorded: it is running, or it was lost and can be resumed"))
    else:
        words = ": ".join(part for part in (end.payload.outcome, end.payload.reason, end.payload.detail) if part)
        facts += [Fact("end", words), Fact("without production", minutes(view.away_s))]
    if view.discarded:
        facts.append(
            Fact("discarded", f"{plural(view.discarded, 'launch', 'launches')} of broken blocks, thrown away whole")
        )
    marks = [*view.labels, *_run_marks(history, views, view)]
    return DatedEntry(
        category=Category.VOID if view.void else Category.MEASUREMENTS,
        seq=view.begun.seq,
        id=view.begun.id,
        time=(end or view.begun).time,
        title=f"{run.proposal or 'arms without a proposal'} at {run.target}",
        facts=tuple(facts),
        marks=tuple(dict.fromkeys(marks)),
        kept=view.void,
        run=view,
    )


def _run_marks(history: History, views: Sequence[RunView], view: RunView) -> Iterable[str]:
    if view.void and view.ended is not None:
        yield f"{view.ended.payload.outcome}: supports no verdict"
        return
    changes = [change for item in view.primary if (change := measured_before(history, item.payload, view)) is not None]
    if changes:
        first = min(changes, key=lambda change: change.seq)
        yield f"measured before the baseline changed to {first.payload.arm_name} on {day(first.time)}"
    for item in view.primary:
        later = overturning(views, item.payload, view)
        if later is not None:
            yield f"{item.payload.arm_name}: overturned by the run of {day(later.begun.time)}"


def _acceptance(history: History, views: Sequence[RunView], item: Stamped[Acceptance]) -> DatedEntry:
    accepted, replaced = item.payload, history.superseded_by(item.id)
    now = standing(history, item)
    waits = IN_FORCE if now.started else f"not yet started with: {now.words}"
    marks = [f"superseded by {replaced.payload.arm_name} on {day(replaced.time)}" if replaced else waits]
    for view in views:
        for found in view.verdicts:
            if found.id in accepted.verdicts and (later := overturning(views, found.payload, view)) is not None:
                marks.append(f"overturned: its evidence is contradicted by the run of {day(later.begun.time)}")
    return DatedEntry(
        category=Category.ACCEPTANCES,
        seq=item.seq,
        id=item.id,
        time=item.time,
        title=f"{accepted.arm_name} accepted for {accepted.target}",
        facts=(
            Fact("reason", accepted.reason),
            Fact("person", accepted.person),
            Fact("proposal", accepted.proposal),
            Fact("evidence", f"run {accepted.run}, verdicts {', '.join(short(one) for one in accepted.verdicts)}"),
        ),
        marks=tuple(dict.fromkeys(marks)),
        kept=replaced is not None,
    )


def _review(history: History, views: Sequence[RunView], item: Stamped[ReviewRun]) -> DatedEntry:
    run = item.payload
    labels = {seat.name: seat.label for seat in run.reviewers}
    took_part = [one.payload for one in history.reviews if one.payload.run == run.run]
    missing = [one.payload.reviewer for one in history.exclusions if one.payload.run == run.run]
    brief = next((one for one in history.briefs if one.payload.run == run.run), None)
    facts = [
        Fact("took part", ", ".join(f"{one.reviewer} ({one.label})" for one in took_part) or "nobody"),
        Fact("left out whole", ", ".join(f"{name} ({labels.get(name, 'unknown')})" for name in missing) or "nobody"),
        Fact("quorum", f"{plural(len(took_part), 'complete review')}, {run.quorum} needed"),
        Fact("brief", f"{short(brief.payload.markdown.sha256)}, {day(brief.time)}" if brief else "none"),
    ]
    return DatedEntry(
        category=Category.REVIEWS,
        seq=item.seq,
        id=item.id,
        time=(brief or item).time,
        title=run.proposal if run.round == "first" else f"{run.proposal} ({run.round.replace('_', ' ')})",
        facts=tuple(facts),
        marks=() if len(took_part) >= run.quorum else ("quorum not reached",),
        claims=claims(history, views, run),
    )


def _exclusions(history: History) -> Iterable[DatedEntry]:
    for item in history.exclusions:
        facts = (Fact("reason", item.payload.reason), Fact("what happened", item.payload.detail))
        title = f"{item.payload.reviewer} left out of {item.payload.run}"
        yield DatedEntry(Category.EXCLUSIONS, item.seq, item.id, item.time, title, facts)


def _production(history: History) -> Iterable[DatedEntry]:
    groups: dict[tuple[str, str], list[Stamped[TargetState]]] = {}
    for item in history.states:
        groups.setdefault((item.payload.target, item.payload.run or item.id), []).append(item)
    for (target, _), states in groups.items():
        last = states[-1]
        facts = tuple(
            Fact(one.payload.state.replace("_", " "), f"{one.time[11:19]} {one.payload.by}: {one.payload.evidence}")
            for one in states
        )
        yield DatedEntry(
            category=Category.PRODUCTION,
            seq=last.seq,
            id=last.id,
            time=last.time,
            title=f"{target}: {' → '.join(dict.fromkeys(one.payload.state.replace('_', ' ') for one in states))}",
            facts=facts,
            marks=_down_marks(history, last),
        )


def _down_marks(history: History, last: Stamped[TargetState]) -> tuple[str, ...]:
    """What is on record after a state that is not up."""
    if last.payload.state not in DOWN:
        return ()
    back = came_back(history, last)
    if back is not None:
        return (f"up again by {minute(back.time)}",)
    return ("stopped; no later start is on record",) if last.payload.run is None else ("not shown to be back",)


def _set_aside(history: History) -> Iterable[DatedEntry]:
    for parked in history.parked:
        facts = (Fact("reason", parked.payload.reason), Fact("person", parked.payload.person))
        title = f"Parked: {parked.payload.subject}"
        yield DatedEntry(Category.PARKED, parked.seq, parked.id, parked.time, title, facts)
    for item in history.not_applied:
        said = (
            Fact("reason", item.payload.reason),
            Fact("person", item.payload.person),
            Fact("measured in", item.payload.run),
        )
        title = f"Not applied: {item.payload.arm_name} at {item.payload.target}"
        yield DatedEntry(Category.PARKED, item.seq, item.id, item.time, title, said)
