"""Pure: what followed acceptances, as dated entries: baselines put on their target, later looks, and going back."""

from collections.abc import Iterable

from committee.report.entries import Category, DatedEntry, Fact, doubt_marks
from committee.report.history import History, Stamped, grouped
from committee.report.phrases import Phrase
from committee.report.words import minutes
from ledger.entries import Deployment, Rollback, Watch


def followed_entries(history: History) -> list[DatedEntry]:
    """All of them, in no particular order."""
    attempts = grouped(history.deployments, lambda item: item.payload.deployment)
    return [
        *(_deployment(history, told) for told in attempts.values()),
        *(_look(history, item) for item in history.watches),
        *(_back(history, item) for item in history.rollbacks),
    ]


def baseline_words(history: History, acceptance: str | None) -> str:
    """The accepted arm's name, or that it is the baseline that a person wrote."""
    if acceptance is None:
        return Phrase("own_baseline")
    found = (item.payload.arm_name for item in history.acceptances if item.id == acceptance)
    return next(found, acceptance[:12])


def _deployment(history: History, told: tuple[Stamped[Deployment], ...]) -> DatedEntry:
    """One attempt: its beginning, and its end where it has one."""
    last = told[-1]
    made = last.payload
    what = baseline_words(history, made.acceptance)
    facts = [Fact(Phrase("outcome"), made.detail), Fact(Phrase("person"), made.person)]
    if made.away_s is not None:
        facts.append(Fact(Phrase("without_production"), minutes(made.away_s)))
    marks: list[str] = [*doubt_marks(history, *(item.id for item in told))]
    if made.outcome == "begun":
        marks.append(Phrase("not_ended"))
    return DatedEntry(
        category=Category.PRODUCTION,
        seq=last.seq,
        id=last.id,
        time=last.time,
        title=Phrase("put_on_target", what=what, target=made.target, outcome=made.outcome),
        facts=tuple(facts),
        marks=tuple(dict.fromkeys(marks)),
        kept=made.outcome in ("failed", "refused"),
        target=made.target,
    )


def _look(history: History, item: Stamped[Watch]) -> DatedEntry:
    look = item.payload
    return DatedEntry(
        category=Category.ACCEPTANCES,
        seq=item.seq,
        id=item.id,
        time=item.time,
        title=Phrase("looked_again", arm=look.arm_name, target=look.target, outcome=look.outcome),
        facts=(Fact(Phrase("outcome"), look.detail), Fact(Phrase("evidence"), look.run)),
        marks=tuple(look_marks(history, item)),
        target=look.target,
    )


def look_marks(history: History, item: Stamped[Watch]) -> Iterable[str]:
    """That it overturned what it looked at, unless its own evidence fell: then its mark has no effect."""
    doubts = doubt_marks(history, item.id)
    if item.payload.outcome == "overturned":
        yield Phrase("mark_fell") if doubts else Phrase("overturned_it")
    yield from doubts


def _back(history: History, item: Stamped[Rollback]) -> DatedEntry:
    made = item.payload
    return DatedEntry(
        category=Category.ACCEPTANCES,
        seq=item.seq,
        id=item.id,
        time=item.time,
        title=Phrase(
            "went_back",
            target=made.target,
            left=baseline_words(history, made.leaves),
            to=baseline_words(history, made.back_to),
        ),
        facts=(Fact(Phrase("reason"), made.reason), Fact(Phrase("person"), made.person)),
        marks=doubt_marks(history, item.id),
        target=made.target,
    )
