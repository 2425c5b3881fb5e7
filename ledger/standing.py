"""What stands, and what is open again because something it rests on was struck or replaced. Derived, never stored.

`resting` finds what rests on what; besides, runs rest on the facts they were made with, launches on those of their
machine and model files, and an overturning mark of a later look on that look's own evidence.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from ledger.entries import (
    Acceptance,
    Brief,
    Gate,
    Invalidation,
    KernelRun,
    KernelVerdict,
    Launch,
    Machine,
    MeasuringRun,
    Model,
    NotApplied,
    Supersession,
    Tombstone,
    Trial,
    Verdict,
    Watch,
)
from ledger.errors import NoSuchError
from ledger.model_files import models_named
from ledger.resting import entries_of, ids_of, resting, runs_around
from ledger.store import Entry, Ledger

FACTS = ("harness_version", "target_sha256", "target_model_sha256")  # fields of a measuring run that many runs share
CARD = "card"
MODEL_FILE = "model_file"  # by its path or the last part of it, its sample, or the whole file's hash
KERNEL_FACTS = ("task_sha256", "device")  # of runs and verdicts of the kernel bench
MACHINE_FACTS = ("driver", CARD, "host", "kernel", "cpu", "engine")  # of a machine; a card by its uuid or its model
KNOWN_FACTS = (*FACTS, *MACHINE_FACTS, MODEL_FILE, *KERNEL_FACTS)
# Withheld, they leave what rests on them unknown.
EVIDENCE = frozenset({Machine.kind, Model.kind, Launch.kind, Gate.kind, Trial.kind})
CONCLUSIONS = (Verdict, Acceptance, NotApplied, Brief, KernelVerdict)  # measured or decided again once they are open


@dataclass(frozen=True)
class Doubt:
    """Why one entry does not stand by itself any more."""

    mark: Entry  # the invalidation or supersession
    struck: bool  # whether this very entry was named; else it rests on what was
    words: str  # one sentence


def all_resting_on(ledger: Ledger, entry: Entry, most: int | None = None) -> tuple[Entry, ...]:
    """Entries that rest on this one through any number of others, oldest first; with `most`, the nearest of them."""
    reached = resting(ledger, {entry.seq: entry.kind}, most)
    return entries_of(ledger, [node.seq for node in reached])


def conclusions_on(ledger: Ledger, entry: Entry, most: int | None = None) -> tuple[Entry, ...]:
    """Conclusions that rest on this entry, oldest first; with `most`, those among as many nearest entries."""
    kinds = {one.kind for one in CONCLUSIONS}
    reached = resting(ledger, {entry.seq: entry.kind}, most)
    return entries_of(ledger, [node.seq for node in reached if node.kind in kinds])


def doubts(ledger: Ledger, before: str | None = None) -> dict[str, tuple[Doubt, ...]]:
    """For every entry that is struck, replaced or open again, why; by entry id.

    With `before` (a time as entries have it) only marks recorded until then count. A mark that is itself struck has no
    effect, so a strike can be taken back without removing anything.
    """
    marks = [
        entry for entry in ledger.entries(Invalidation.kind, Supersession.kind) if not before or entry.time <= before
    ]
    struck_marks = _struck_marks(marks)
    standing = [mark for mark in marks if mark.id not in struck_marks]
    looks = {mark.id: look for mark in standing if (look := _look_behind(ledger, mark)) is not None}
    found: dict[int, list[Doubt]] = {}
    for mark in standing:
        if mark.id not in looks:
            _spread(ledger, mark, found)
    for seq, doubt in _withheld_evidence(ledger, before):
        found.setdefault(seq, []).append(doubt)
    fallen = {mark for mark, look in looks.items() if look in found}
    for mark in standing:
        if mark.id in looks and mark.id not in fallen:
            _spread(ledger, mark, found)
    ids = ids_of(ledger, found)
    return {ids[seq]: tuple(said) for seq, said in found.items()}


def _spread(ledger: Ledger, mark: Entry, found: dict[int, list[Doubt]]) -> None:
    """What a mark names is struck or replaced, and what rests on that is open again."""
    named = _named(ledger, mark)
    for seq in named:
        found.setdefault(seq, []).append(Doubt(mark, struck=True, words=_said(mark)))
    for node in resting(ledger, named):
        words = f"open again: entry #{node.start} that it rests on was {_said(mark)}"
        found.setdefault(node.seq, []).append(Doubt(mark, struck=False, words=words))


def _look_behind(ledger: Ledger, mark: Entry) -> int | None:
    """The number of the look that a mark rests on: one that says itself that it overturned what the mark replaces.

    Such a look rests on no acceptance, so that no mark can be the reason of its own fall.
    """
    payload = mark.payload
    if not isinstance(payload, Supersession) or payload.by is None:
        return None
    by = ledger.find(payload.by)
    look = by.payload
    return by.seq if isinstance(look, Watch) and look.acceptance == payload.subject else None


def withheld_in_runs(ledger: Ledger, kinds: Collection[str]) -> Mapping[int, tuple[Entry, ...]]:
    """Entries of these kinds that were withheld in the course of each measuring run, by the number of its plan.

    Whose a withheld entry was cannot be read any more: it counts for every run that had begun before it and not ended,
    or where there was none, for every run before it.
    """
    found: dict[int, tuple[Entry, ...]] = {}
    for taken in (one for _, one in _withheld(ledger) if one.kind in kinds):
        before = [entry.seq for entry, _ in ledger.of(MeasuringRun) if entry.seq < taken.seq]
        for begun in runs_around(ledger, taken.seq) or before:
            found[begun] = (*found.get(begun, ()), taken)
    return found


def _withheld(ledger: Ledger, before: str | None = None) -> Iterator[tuple[Entry, Entry]]:
    """Each tombstone with each entry that it withholds."""
    for mark in ledger.entries(Tombstone.kind):
        if isinstance(mark.payload, Tombstone) and not (before and mark.time > before):
            for taken in map(ledger.find, mark.payload.entries):
                yield mark, taken


def _withheld_evidence(ledger: Ledger, before: str | None) -> Iterable[tuple[int, Doubt]]:
    """What rests on a run in whose course a launch, gate or trial was withheld: it cannot be known any more."""
    for mark, taken in _withheld(ledger, before):
        if taken.kind not in EVIDENCE:
            continue
        words = f"open again: entry #{taken.seq}, a {taken.kind} of its run, is withheld and cannot be known"
        for begun in runs_around(ledger, taken.seq):
            for node in resting(ledger, {begun: MeasuringRun.kind}):
                yield node.seq, Doubt(mark, struck=False, words=words)


def with_fact(ledger: Ledger, fact: str) -> tuple[Entry, ...]:
    """The entries that state a fact: measuring runs, machines, models, runs and verdicts of the kernel bench.

    Raises LedgerError for no fact.
    """
    name, _, value = fact.partition("=")
    if name not in KNOWN_FACTS or not value:
        known = ", ".join(f"{one}=VALUE" for one in KNOWN_FACTS)
        raise NoSuchError(f"{fact!r} is no fact that runs share; write {known}")
    if name == MODEL_FILE:
        return entries_of(ledger, models_named(ledger, value))
    if name in KERNEL_FACTS:
        found = [entry for kind in (KernelRun, KernelVerdict) for entry, _ in ledger.of(kind, **{name: value})]
        return tuple(sorted(found, key=lambda entry: entry.seq))
    if name in FACTS:
        return tuple(entry for entry, _run in ledger.of(MeasuringRun, **{name: value}))
    if name != CARD:
        return tuple(entry for entry, _machine in ledger.of(Machine, **{name: value}))
    return tuple(
        entry for entry, machine in ledger.of(Machine) if any(value in (card.uuid, card.name) for card in machine.cards)
    )


def _struck_marks(marks: list[Entry]) -> set[str]:
    """Marks that a later standing mark names; the newest is looked at first, for nothing can strike it."""
    struck: set[str] = set()
    for mark in reversed(marks):
        subject = mark.payload.subject if isinstance(mark.payload, Invalidation | Supersession) else None
        if mark.id not in struck and subject in {one.id for one in marks}:
            struck.add(subject or "")
    return struck


def _named(ledger: Ledger, mark: Entry) -> dict[int, str]:
    """What a mark strikes: number -> kind."""
    payload = mark.payload
    if isinstance(payload, Invalidation) and payload.fact is not None:
        return {one.seq: one.kind for one in with_fact(ledger, payload.fact)}
    subject = payload.subject if isinstance(payload, Invalidation | Supersession) else None
    if subject is None:
        return {}
    named = ledger.find(subject)
    return {named.seq: named.kind}


def _said(mark: Entry) -> str:
    payload = mark.payload
    if isinstance(payload, Invalidation):
        what = f"struck with the fact {payload.fact}" if payload.fact else "struck"
        return f"{what} by {payload.person}: {payload.reason}"
    if isinstance(payload, Supersession):
        return f"replaced by {payload.person}: {payload.reason}"
    raise TypeError(f"entry #{mark.seq} of kind {mark.kind!r} is no mark")
