"""A run's launches, gates and trials, read from the ledger by their index only when a page shows them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from harness.vocabulary.outcome import GateName
from ledger.entries import Gate, Launch, Payload, Trial
from ledger.store import Entry, Ledger

P = TypeVar("P", bound=Payload)


@dataclass(frozen=True)
class Stamped(Generic[P]):
    """A payload and what its entry says about it."""

    seq: int
    id: str
    time: str  # ISO 8601, UTC, as recorded
    actor: str
    payload: P


def stamp(entry: Entry, payload: P) -> Stamped[P]:
    """A payload with its entry's stamp."""
    return Stamped(entry.seq, entry.id, entry.time, entry.actor, payload)


class Evidence(Protocol):
    """What verdicts rest on. It is by far the most of a ledger, so nobody reads it whole."""

    def launches(self, run: str) -> Sequence[Stamped[Launch]]:
        """Every launch of a run, in the order of the ledger."""
        ...

    def opening(self, run: str) -> Sequence[Stamped[Launch]]:
        """Those of its first block, which tell what kind of server was started."""
        ...

    def trials(self, run: str) -> Sequence[Stamped[Trial]]:
        """Every trial of a run, in the order of the ledger."""
        ...

    def gates(self, launch: str) -> Sequence[Stamped[Gate]]:
        """Every gate of one launch, in the order of the ledger."""
        ...

    def quiet(self, run: str) -> Sequence[Stamped[Gate]]:
        """The quiet gate of every launch of a run that was loaded, in the order of the ledger."""
        ...


@dataclass(frozen=True)
class LedgerEvidence:
    """From an open ledger, up to an entry and no further."""

    ledger: Ledger
    head_seq: int

    def launches(self, run: str) -> Sequence[Stamped[Launch]]:
        """Every launch of a run."""
        return self._of(Launch, run=run)

    def opening(self, run: str) -> Sequence[Stamped[Launch]]:
        """Those of its first block."""
        return self._of(Launch, run=run, block=0)

    def trials(self, run: str) -> Sequence[Stamped[Trial]]:
        """Every trial of a run."""
        return self._of(Trial, run=run)

    def gates(self, launch: str) -> Sequence[Stamped[Gate]]:
        """Every gate of one launch."""
        return self._of(Gate, launch=launch)

    def quiet(self, run: str) -> Sequence[Stamped[Gate]]:
        """The quiet gate of every launch of a run that was loaded."""
        return self._of(Gate, run=run, gate=GateName.QUIET.value)

    def _of(self, schema: type[P], **where: object) -> Sequence[Stamped[P]]:
        found = self.ledger.of(schema, **where)
        return tuple(stamp(entry, payload) for entry, payload in found if entry.seq <= self.head_seq)
