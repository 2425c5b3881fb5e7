"""Pure: from the history to dated entries in seven categories, newest first; nothing is left out, marks say more."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import reduce

from committee.report.claims import Claim, claims, label_words
from committee.report.history import History, Stamped, grouped
from committee.report.phrases import Phrase, counted, listed
from committee.report.runs import Runs, RunView, as_runs
from committee.report.standing import DOWN, came_back, standing
from committee.report.today import measured_before
from committee.report.words import day, minute, minutes, short
from ledger.entries import Acceptance, ReviewRun, TargetState, Verdict


class Category(StrEnum):
    """The seven categories, in order of the page."""

    MEASUREMENTS = "measurements"
    ACCEPTANCES = "acceptances"
    REVIEWS = "reviews"
    EXCLUSIONS = "exclusions"
    PRODUCTION = "production"
    PARKED = "parked"
    VOID = "void"

    @property
    def words(self) -> Phrase:
        """The category in the report's words."""
        return Phrase(f"category_{self.value}")


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
    review: str | None = None  # the review run whose claims belong here
    about: str | None = None  # the proposal it belongs to
    target: str | None = None


def dated_entries(
    history: History, views: Sequence[RunView], more: Iterable[DatedEntry] = ()
) -> dict[Category, tuple[DatedEntry, ...]]:
    """Every category with its entries and `more`, newest first; a category without entries is there and empty."""
    newest = sorted([*every_entry(history, views), *more], key=lambda entry: entry.seq, reverse=True)
    return {category: tuple(entry for entry in newest if entry.category is category) for category in Category}


def every_entry(history: History, views: Sequence[RunView]) -> list[DatedEntry]:
    """All of them, in no particular order."""
    runs, rested = as_runs(views), _verdicts_by_id(history)
    return [
        *(_measurement(history, runs, view) for view in runs),
        *(_acceptance(history, runs, item, rested) for item in history.acceptances),
        *_reviews(history),
        *_exclusions(history),
        *_production(history),
        *_set_aside(history),
    ]


def claims_of(history: History, views: Sequence[RunView], entry: DatedEntry) -> tuple[Claim, ...]:
    """The claims that belong to an entry: those of its review run."""
    run = next((item.payload for item in history.review_runs if item.payload.run == entry.review), None)
    return claims(history, views, run) if run is not None else ()


def doubt_marks(history: History, *ids: str) -> tuple[Phrase, ...]:
    """Why entries do not stand any more, each reason once."""
    return tuple(dict.fromkeys(doubt.words for one in ids for doubt in history.doubts.get(one, ())))


def _measurement(history: History, runs: Runs, view: RunView) -> DatedEntry:
    run, end = view.begun.payload, view.ended
    slots = counted("launches", len(run.slots))
    facts = [
        Fact(Phrase("plan"), Phrase("plan_words", blocks=counted("blocks", run.blocks), launches=slots, seed=run.seed))
    ]
    if end is None:
        facts.append(Fact(Phrase("end"), Phrase("no_end")))
    else:
        words = ": ".join(part for part in (end.payload.outcome, end.payload.reason, end.payload.detail) if part)
        facts += [Fact(Phrase("end"), words), Fact(Phrase("without_production"), minutes(view.away_s))]
    marks = (*view.labels, *doubt_marks(history, view.begun.id), *_run_marks(history, runs, view))
    return DatedEntry(
        category=Category.VOID if view.void else Category.MEASUREMENTS,
        seq=view.begun.seq,
        id=view.begun.id,
        time=(end or view.begun).time,
        title=Phrase("at_target", what=run.proposal or Phrase("without_proposal"), target=run.target),
        facts=tuple(facts),
        marks=tuple(dict.fromkeys(marks)),
        kept=view.void,
        run=view,
        about=run.proposal,
        target=run.target,
    )


def _run_marks(history: History, runs: Runs, view: RunView) -> Iterable[Phrase]:
    if view.void and view.ended is not None:
        yield Phrase("supports_no_verdict", outcome=view.ended.payload.outcome)
        return
    changes = [change for item in view.primary if (change := measured_before(history, item.payload, view)) is not None]
    if changes:
        first = min(changes, key=lambda change: change.seq)
        yield Phrase("measured_before", arm=first.payload.arm_name, day=day(first.time))
    for item in view.primary:
        later = runs.overturning(item.payload)
        if later is not None:
            yield Phrase("overturned_by", arm=item.payload.arm_name, day=day(later.begun.time))


def _verdicts_by_id(history: History) -> dict[str, Verdict]:
    accepted = {one for item in history.acceptances for one in item.payload.verdicts}
    return {item.id: item.payload for item in history.verdicts if item.id in accepted}


def _acceptance(history: History, runs: Runs, item: Stamped[Acceptance], rested: dict[str, Verdict]) -> DatedEntry:
    accepted, replaced = item.payload, history.superseded_by(item.id)
    marks: list[Phrase] = [*_force(history, item, replaced), *doubt_marks(history, item.id)]
    for one in accepted.verdicts:
        if one in rested and (later := runs.overturning(rested[one])) is not None:
            marks.append(Phrase("evidence_contradicted", day=day(later.begun.time)))
    verdicts = listed(*(short(one) for one in accepted.verdicts))
    return DatedEntry(
        category=Category.ACCEPTANCES,
        seq=item.seq,
        id=item.id,
        time=item.time,
        title=Phrase("accepted_for", arm=accepted.arm_name, target=accepted.target),
        facts=(
            Fact(Phrase("reason"), accepted.reason),
            Fact(Phrase("person"), accepted.person),
            Fact(Phrase("proposal"), accepted.proposal),
            Fact(Phrase("evidence"), Phrase("evidence_words", run=accepted.run, verdicts=verdicts)),
        ),
        marks=tuple(dict.fromkeys(marks)),
        kept=replaced is not None or history.gone_back_from(item.id) is not None,
        about=accepted.proposal,
        target=accepted.target,
    )


def _force(history: History, item: Stamped[Acceptance], replaced: Stamped[Acceptance] | None) -> Iterable[Phrase]:
    if replaced is not None:
        yield Phrase("superseded_by", arm=replaced.payload.arm_name, day=day(replaced.time))
        return
    if (back := history.gone_back_from(item.id)) is not None:
        yield Phrase("gone_back_from", day=day(back.time), person=back.payload.person, reason=back.payload.reason)
        return
    now = standing(history, item)
    yield Phrase("in_force") if now.started else Phrase("not_started", words=now.words)


def _reviews(history: History) -> Iterable[DatedEntry]:
    took_part = grouped(history.reviews, lambda one: one.payload.run)
    missing = grouped(history.exclusions, lambda one: one.payload.run)
    briefs = {one.payload.run: one for one in reversed(history.briefs)}
    for item in history.review_runs:
        run = item.payload
        present = [one.payload.reviewer for one in took_part.get(run.run, ())]
        absent = [one.payload.reviewer for one in missing.get(run.run, ())]
        brief = briefs.get(run.run)
        told = Phrase("brief_words", id=short(brief.payload.markdown.sha256), day=day(brief.time)) if brief else ""
        facts = (
            Fact(Phrase("took_part"), _named(run, present)),
            Fact(Phrase("left_out_whole"), _named(run, absent)),
            Fact(Phrase("quorum"), Phrase("quorum_words", have=counted("reviews", len(present)), needed=run.quorum)),
            Fact(Phrase("brief"), told or Phrase("none")),
        )
        yield DatedEntry(
            category=Category.REVIEWS,
            seq=item.seq,
            id=item.id,
            time=(brief or item).time,
            title=_round(run),
            facts=facts,
            marks=(
                *doubt_marks(history, item.id, *((brief.id,) if brief else ())),
                *(() if len(present) >= run.quorum else (Phrase("quorum_not_reached"),)),
            ),
            review=run.run,
            about=run.proposal,
        )


def _round(run: ReviewRun) -> str:
    return run.proposal if run.round == "first" else Phrase("in_round", what=run.proposal, round=Phrase(run.round))


def _named(run: ReviewRun, names: Sequence[str]) -> Phrase:
    labels = {seat.name: seat.label for seat in run.reviewers}
    if not names:
        return Phrase("nobody")
    return listed(*(Phrase("with_label", name=one, label=label_words(labels.get(one, "unknown"))) for one in names))


def _exclusions(history: History) -> Iterable[DatedEntry]:
    proposals = {item.payload.run: item.payload.proposal for item in history.review_runs}
    for item in history.exclusions:
        left = item.payload
        facts = (Fact(Phrase("reason"), left.reason), Fact(Phrase("what_happened"), left.detail))
        title = Phrase("left_out_of", reviewer=left.reviewer, run=left.run)
        about = proposals.get(left.run)
        yield DatedEntry(Category.EXCLUSIONS, item.seq, item.id, item.time, title, facts, about=about)


def _production(history: History) -> Iterable[DatedEntry]:
    groups = grouped(history.states, lambda item: (item.payload.target, item.payload.run or item.id))
    for (target, _), states in groups.items():
        last = states[-1]
        facts = tuple(
            Fact(
                _state_words(one),
                Phrase("seen_by", time=one.time[11:19], by=one.payload.by, evidence=one.payload.evidence),
            )
            for one in states
        )
        way = reduce(
            lambda one, next_one: Phrase("then", one=one, next=next_one), dict.fromkeys(map(_state_words, states))
        )
        yield DatedEntry(
            category=Category.PRODUCTION,
            seq=last.seq,
            id=last.id,
            time=last.time,
            title=Phrase("target_went", target=target, way=way),
            facts=facts,
            marks=_down_marks(history, last),
            target=target,
        )


def _state_words(item: Stamped[TargetState]) -> Phrase:
    return Phrase(f"production_{item.payload.state}")


def _down_marks(history: History, last: Stamped[TargetState]) -> tuple[Phrase, ...]:
    """What is on record after a state that is not up."""
    if last.payload.state not in DOWN:
        return ()
    back = came_back(history, last)
    if back is not None:
        return (Phrase("up_again_by", when=minute(back.time)),)
    return (Phrase("stopped_for_good") if last.payload.run is None else Phrase("not_shown_back"),)


def _set_aside(history: History) -> Iterable[DatedEntry]:
    for parked in history.parked:
        said = (Fact(Phrase("reason"), parked.payload.reason), Fact(Phrase("person"), parked.payload.person))
        title = Phrase("parked_title", subject=parked.payload.subject)
        about = parked.payload.proposal
        yield DatedEntry(Category.PARKED, parked.seq, parked.id, parked.time, title, said, about=about)
    for item in history.not_applied:
        left = item.payload
        facts = (
            Fact(Phrase("reason"), left.reason),
            Fact(Phrase("person"), left.person),
            Fact(Phrase("measured_in"), left.run),
        )
        yield DatedEntry(
            Category.PARKED, item.seq, item.id, item.time,
            Phrase("not_applied_title", arm=left.arm_name, target=left.target), facts,
            doubt_marks(history, item.id), target=left.target,
        )  # fmt: skip
