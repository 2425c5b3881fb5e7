"""What stands, and what is open again because something it rests on was struck or replaced. Derived, never stored.

An entry rests on others: a trial on its launch, a verdict on its trials, an acceptance on its verdicts, a brief on its
reviews, a run on the facts it was made with and on the acceptance that made its baseline.
"""

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import TypeVar

from ledger.entries import (
    Acceptance,
    Arm,
    Attempt,
    Brief,
    Gate,
    Hypothesis,
    Invalidation,
    Launch,
    MeasuringRun,
    NotApplied,
    Response,
    Review,
    ReviewRun,
    Revision,
    RunEnd,
    Supersession,
    Tombstone,
    Trial,
    Verdict,
    Watch,
)
from ledger.errors import NoSuchError
from ledger.in_force import course_of
from ledger.store import Entry, Ledger

N = TypeVar("N", bound=Hashable)
FACTS = ("harness_version", "target_sha256", "target_model_sha256")  # fields of a measuring run that many runs share
EVIDENCE = frozenset({Launch.kind, Gate.kind, Trial.kind})  # withheld, they leave what rests on them unknown
CONCLUSIONS = (Verdict, Acceptance, NotApplied, Brief)  # what is measured or decided again once it is open


@dataclass(frozen=True)
class Doubt:
    """Why one entry does not stand by itself any more."""

    mark: Entry  # the invalidation or supersession
    struck: bool  # whether this very entry was named; else it rests on what was
    words: str  # one sentence


def closure(starts: Iterable[N], dependents: Callable[[N], Iterable[N]]) -> tuple[N, ...]:
    """Everything that rests on the starts, themselves left out, each once, nearest first."""
    reached = dict.fromkeys(starts)
    first = len(reached)
    waiting = list(reached)
    while waiting:
        for one in dependents(waiting.pop(0)):
            if one not in reached:
                reached[one] = None
                waiting.append(one)
    return tuple(reached)[first:]


def resting_on(ledger: Ledger, entry: Entry) -> tuple[Entry, ...]:
    """Entries that rest on this one without another between them, oldest first."""
    found = _resting.get(type(entry.payload), _nothing)(ledger, entry)
    return tuple(sorted({one.id: one for one in found}.values(), key=lambda one: one.seq))


def all_resting_on(ledger: Ledger, entry: Entry) -> tuple[Entry, ...]:
    """Entries that rest on this one through any number of others, oldest first."""
    known = {entry.id: entry}

    def dependents(node: str) -> Iterable[str]:
        for one in resting_on(ledger, known[node]):
            known[one.id] = one
            yield one.id

    reached = closure([entry.id], dependents)
    return tuple(sorted((known[node] for node in reached), key=lambda one: one.seq))


def doubts(ledger: Ledger, before: str | None = None) -> dict[str, tuple[Doubt, ...]]:
    """For every entry that is struck, replaced or open again, why; by entry id.

    With `before` (a time as entries have it) only marks recorded until then count. A mark that is itself struck has no
    effect, so a strike can be taken back without removing anything.
    """
    marks = [
        entry for entry in ledger.entries(Invalidation.kind, Supersession.kind) if not before or entry.time <= before
    ]
    struck_marks = _struck_marks(marks)
    found: dict[str, list[Doubt]] = {}
    for mark in marks:
        if mark.id in struck_marks:
            continue
        for named in _named(ledger, mark):
            found.setdefault(named.id, []).append(Doubt(mark, struck=True, words=_said(mark)))
            for one in all_resting_on(ledger, named):
                words = f"open again: entry #{named.seq} that it rests on was {_said(mark)}"
                found.setdefault(one.id, []).append(Doubt(mark, struck=False, words=words))
    for node, doubt in _withheld_evidence(ledger, before):
        found.setdefault(node, []).append(doubt)
    return {node: tuple(said) for node, said in found.items()}


def _withheld_evidence(ledger: Ledger, before: str | None) -> Iterable[tuple[str, Doubt]]:
    """What rests on a run in whose course a launch, gate or trial was withheld: it cannot be known any more."""
    runs = {run.run: entry for entry, run in ledger.of(MeasuringRun)}
    ends = {end.run: entry.seq for entry, end in ledger.of(RunEnd)}
    for mark in ledger.entries(Tombstone.kind):
        if not isinstance(mark.payload, Tombstone) or (before and mark.time > before):
            continue
        for taken in map(ledger.find, mark.payload.entries):
            if taken.kind not in EVIDENCE:
                continue
            for run, begun in runs.items():
                if begun.seq < taken.seq < ends.get(run, taken.seq + 1):
                    words = (
                        f"open again: entry #{taken.seq}, a {taken.kind} of its run, is withheld and cannot be known"
                    )
                    for one in all_resting_on(ledger, begun):
                        yield one.id, Doubt(mark, struck=False, words=words)


def with_fact(ledger: Ledger, fact: str) -> tuple[Entry, ...]:
    """The measuring runs that were made with a fact. Raises LedgerError for what is no fact."""
    name, _, value = fact.partition("=")
    if name not in FACTS or not value:
        raise NoSuchError(f"{fact!r} is no fact that runs share; write {', '.join(f'{one}=VALUE' for one in FACTS)}")
    return tuple(entry for entry, _run in ledger.of(MeasuringRun, **{name: value}))


def _struck_marks(marks: list[Entry]) -> set[str]:
    """Marks that a later standing mark names; the newest is looked at first, for nothing can strike it."""
    struck: set[str] = set()
    for mark in reversed(marks):
        subject = mark.payload.subject if isinstance(mark.payload, Invalidation | Supersession) else None
        if mark.id not in struck and subject in {one.id for one in marks}:
            struck.add(subject or "")
    return struck


def _named(ledger: Ledger, mark: Entry) -> tuple[Entry, ...]:
    payload = mark.payload
    if isinstance(payload, Invalidation) and payload.fact is not None:
        return with_fact(ledger, payload.fact)
    subject = payload.subject if isinstance(payload, Invalidation | Supersession) else None
    return (ledger.find(subject),) if subject else ()


def _said(mark: Entry) -> str:
    payload = mark.payload
    if isinstance(payload, Invalidation):
        what = f"struck with the fact {payload.fact}" if payload.fact else "struck"
        return f"{what} by {payload.person}: {payload.reason}"
    if isinstance(payload, Supersession):
        return f"replaced by {payload.person}: {payload.reason}"
    raise TypeError(f"entry #{mark.seq} of kind {mark.kind!r} is no mark")


def _nothing(_ledger: Ledger, _entry: Entry) -> Iterable[Entry]:
    return ()


def _of_run(ledger: Ledger, entry: Entry) -> Iterable[Entry]:
    run = entry.payload.run if isinstance(entry.payload, MeasuringRun) else ""
    for schema in (Launch, Gate, Trial, Verdict, RunEnd, NotApplied):
        yield from (one for one, _ in ledger.of(schema, run=run))


def _of_launch(ledger: Ledger, entry: Entry) -> Iterable[Entry]:
    launch = entry.payload.launch if isinstance(entry.payload, Launch) else ""
    for schema in (Gate, Trial):
        yield from (one for one, _ in ledger.of(schema, launch=launch))


def _of_gate(ledger: Ledger, entry: Entry) -> Iterable[Entry]:
    """A gate that must not be believed leaves the launch's numbers without proof."""
    launch = entry.payload.launch if isinstance(entry.payload, Gate) else ""
    yield from (one for one, _ in ledger.of(Trial, launch=launch))


def _of_trial(ledger: Ledger, entry: Entry) -> Iterable[Entry]:
    run = entry.payload.run if isinstance(entry.payload, Trial) else ""
    yield from (one for one, verdict in ledger.of(Verdict, run=run) if entry.id in verdict.trials)


def _of_verdict(ledger: Ledger, entry: Entry) -> Iterable[Entry]:
    if not isinstance(entry.payload, Verdict):
        return
    verdict = entry.payload
    yield from (one for one, made in ledger.of(Acceptance, target=verdict.target) if entry.id in made.verdicts)
    yield from (one for one, _ in ledger.of(NotApplied, run=verdict.run, arm=verdict.arm))
    yield from (one for one, watch in ledger.of(Watch, run=verdict.run) if entry.id == watch.verdict)


def _of_acceptance(ledger: Ledger, entry: Entry) -> Iterable[Entry]:
    """Runs against the baseline that this acceptance made: those begun while it was in force.

    A run that looked at it again was measured against the baseline before it, and does not rest on it.
    """
    if not isinstance(entry.payload, Acceptance):
        return
    target = entry.payload.target
    course = course_of(ledger, target)
    again = {watch.run for _, watch in ledger.of(Watch, target=target)}
    for one, run in ledger.of(MeasuringRun, target=target):
        decided = course.before(one.seq)
        if decided is not None and decided[0].id == entry.id and run.run not in again:
            yield one


def _of_arm(ledger: Ledger, entry: Entry) -> Iterable[Entry]:
    if isinstance(entry.payload, Arm):
        yield from (one for one, _ in ledger.of(Verdict, arm=entry.payload.fingerprint, target=entry.payload.target))


def _of_review_run(ledger: Ledger, entry: Entry) -> Iterable[Entry]:
    run = entry.payload.run if isinstance(entry.payload, ReviewRun) else ""
    for schema in (Attempt, Review, Hypothesis):
        yield from (one for one, _ in ledger.of(schema, run=run))
    yield from _briefs_of(ledger, run)


def _briefs_of(ledger: Ledger, run: str) -> Iterable[Entry]:
    """Briefs of a review run; a later round's reviews and hypotheses are in the brief of the run that it belongs to."""
    rounds = {begun.of_run for _, begun in ledger.of(ReviewRun, run=run) if begun.of_run}
    for name in (run, *sorted(rounds)):
        yield from (one for one, _ in ledger.of(Brief, run=name))


def _of_review(ledger: Ledger, entry: Entry) -> Iterable[Entry]:
    if isinstance(entry.payload, Review):
        yield from _briefs_of(ledger, entry.payload.run)


def _of_response(ledger: Ledger, entry: Entry) -> Iterable[Entry]:
    if isinstance(entry.payload, Response):
        yield from (one for one, _ in ledger.of(Review, attempt=entry.payload.attempt))


def _of_hypothesis(ledger: Ledger, entry: Entry) -> Iterable[Entry]:
    if isinstance(entry.payload, Hypothesis):
        yield from _briefs_of(ledger, entry.payload.run)


def _of_revision(ledger: Ledger, entry: Entry) -> Iterable[Entry]:
    if isinstance(entry.payload, Revision):
        for schema in (ReviewRun, MeasuringRun):
            yield from (one for one, _ in ledger.of(schema, tree=entry.payload.tree))


_resting: dict[type, Callable[[Ledger, Entry], Iterable[Entry]]] = {
    MeasuringRun: _of_run,
    Launch: _of_launch,
    Gate: _of_gate,
    Trial: _of_trial,
    Verdict: _of_verdict,
    Acceptance: _of_acceptance,
    Arm: _of_arm,
    ReviewRun: _of_review_run,
    Review: _of_review,
    Response: _of_response,
    Hypothesis: _of_hypothesis,
    Revision: _of_revision,
}
