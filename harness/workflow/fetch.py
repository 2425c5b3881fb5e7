"""What a run has recorded, and bringing a run's record from another machine's ledger into this one.

An entry that is brought keeps its payload byte for byte; it gets this ledger's place, time and actor, which names where
it comes from. The copy of the other ledger stays beside it, with the chain as it was there.
"""

import sqlite3
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from errno import EEXIST
from pathlib import Path
from typing import Any

from ledger.entries import (
    Arm,
    BlobRef,
    Gate,
    Launch,
    Machine,
    MeasuringRun,
    Model,
    Part,
    Payload,
    RunEnd,
    TargetState,
    Trial,
    Verdict,
)
from ledger.head_file import head_path
from ledger.store import Entry, Ledger

Pair = tuple[Entry, Payload]
# What a measuring run writes beside its plan and its arms, each naming the run.
WRITTEN: tuple[type[Payload], ...] = (TargetState, Machine, Model, Launch, Gate, Trial, Verdict, RunEnd)


@dataclass(frozen=True)
class Fetched:
    """A run's record in a ledger."""

    run: str
    target: str
    first_seq: int
    last_seq: int
    entries: int
    end: RunEnd | None  # none while it is not at its end
    verdicts: tuple[Verdict, ...]

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        plain = asdict(self) | {"end": self.end.as_json() if self.end else None}
        return plain | {"verdicts": [verdict.as_json() for verdict in self.verdicts]}


@dataclass(frozen=True)
class NotFetched:
    """The record was not brought; the sentence says why and what to do."""

    sentence: str


def entries_of(ledger: Ledger, run: str) -> list[Pair]:
    """Every entry of a run in the order in which they were recorded, its arms included.

    What names the run after its end is not the run's: an acceptance states the model files once more under it.
    """
    plans = ledger.of(MeasuringRun, run=run)
    if not plans:
        return []
    began, plan = plans[0]
    found: list[Pair] = [*plans]
    found += [
        (entry, arm)
        for entry, arm in ledger.of(Arm, target=plan.target)
        if began.seq < entry.seq <= began.seq + len(plan.arms) and arm.fingerprint in plan.arms
    ]
    for kind in WRITTEN:
        found += ledger.of(kind, run=run)
    end = min((entry.seq for entry, payload in found if isinstance(payload, RunEnd)), default=None)
    within = [pair for pair in found if end is None or pair[0].seq <= end]
    return sorted(within, key=lambda pair: pair[0].seq)


def recorded(ledger: Ledger, run: str) -> Fetched | None:
    """What a ledger holds of a run, none if nothing."""
    found = entries_of(ledger, run)
    if not found:
        return None
    payloads = [payload for _, payload in found]
    plan = next(payload for payload in payloads if isinstance(payload, MeasuringRun))
    return Fetched(
        run=run,
        target=plan.target,
        first_seq=found[0][0].seq,
        last_seq=found[-1][0].seq,
        entries=len(found),
        end=next((payload for payload in payloads if isinstance(payload, RunEnd)), None),
        verdicts=tuple(payload for payload in payloads if isinstance(payload, Verdict)),
    )


def copy_ledger(path: Path, to: Path) -> None:
    """A consistent copy of a ledger and its head file, also while a run writes to it. Raises FileExistsError."""
    if to.exists():
        raise FileExistsError(EEXIST, "it exists already", str(to))
    head = head_path(path).read_bytes()  # before the copy: the head file may be behind a ledger, never ahead of it
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        connection.execute("VACUUM INTO ?", (str(to),))
    finally:
        connection.close()
    head_path(to).write_bytes(head)


def bring(source: Ledger, into: Ledger, run: str) -> Fetched | NotFetched:
    """Append a run that is at its end to another ledger. What an earlier attempt brought is not brought twice."""
    there = recorded(source, run)
    if there is None or there.end is None:
        return NotFetched(f"run {run} is not at its end there, so its record is not brought yet")
    found, here = entries_of(source, run), entries_of(into, run)
    late = _models_never_brought(found, here)
    found = [pair for pair in found if pair not in late]
    if [_content(pair) for pair in here] != [_content(pair) for pair in found[: len(here)]]:
        return NotFetched(f"this ledger holds another record of run {run}; nothing was brought")
    evidence = [pair for pair in found if not isinstance(pair[1], Verdict | RunEnd)]
    into.append_all([_with_blobs(payload, source, into) for _, payload in evidence[len(here) :]])
    moved = {old.id: new.id for (old, _), (new, _) in zip(evidence, entries_of(into, run), strict=False)}
    results = [
        payload.model_copy(update={"trials": tuple(moved[trial] for trial in payload.trials)})
        if isinstance(payload, Verdict)
        else payload
        for _, payload in found[len(evidence) :]
    ]
    into.append_all(results[max(0, len(here) - len(evidence)) :])
    if not into.of(Model, run=run):
        into.append_all([payload for _, payload in late])
    brought = recorded(into, run)
    if brought is None:
        raise RuntimeError(f"run {run} was appended and is not there")
    return brought


def _models_never_brought(found: list[Pair], here: list[Pair]) -> list[Pair]:
    """The model files of a run that an earlier version brought or began to bring: it left them out of their places."""
    models = [pair for pair in found if isinstance(pair[1], Model)]
    if not models or len(here) <= found.index(models[0]) or any(isinstance(payload, Model) for _, payload in here):
        return []
    return models


def _content(pair: Pair) -> object:
    """What must agree between two ledgers; a verdict names its trials by their place, which is each ledger's own."""
    _, payload = pair
    if isinstance(payload, Verdict):
        return payload.model_copy(update={"trials": ()})
    return payload


def _with_blobs(payload: Payload, source: Ledger, into: Ledger) -> Payload:
    """Copy every blob that a payload names; the payload itself stays as it is."""
    for ref in _refs(payload):
        into.put_blob(source.read_blob(ref.sha256), ref.media_type)
    return payload


def _refs(value: object) -> Iterator[BlobRef]:
    """Every blob named in a payload, at whatever depth."""
    if isinstance(value, BlobRef):
        yield value
    elif isinstance(value, Part):
        for name in type(value).model_fields:
            yield from _refs(getattr(value, name))
    elif isinstance(value, tuple):
        for item in value:
            yield from _refs(item)
