"""Which acceptance makes a target's baseline, now or at an earlier moment: acceptances push, rollbacks go back."""

from bisect import bisect_left
from dataclasses import dataclass

from ledger.entries import Acceptance, Rollback
from ledger.store import Entry, Ledger

Decided = tuple[Entry, Acceptance]


@dataclass(frozen=True)
class Change:
    """From entry `seq` on, `decided` is in force; none is the baseline that a person wrote."""

    seq: int
    decided: Decided | None


@dataclass(frozen=True)
class Course:
    """Every change of what is in force on one target, oldest first."""

    changes: tuple[Change, ...]

    @property
    def now(self) -> Decided | None:
        """What is in force now."""
        return self.changes[-1].decided if self.changes else None

    def before(self, seq: int) -> Decided | None:
        """What was in force just before an entry."""
        found = bisect_left(self.changes, seq, key=lambda change: change.seq)
        return self.changes[found - 1].decided if found else None


def course_of(ledger: Ledger, target: str) -> Course:
    """The course of a target, from the record alone."""
    accepted = {entry.id: (entry, payload) for entry, payload in ledger.of(Acceptance, target=target)}
    changes = [Change(entry.seq, (entry, payload)) for entry, payload in accepted.values()]
    for entry, rollback in ledger.of(Rollback, target=target):
        changes.append(Change(entry.seq, accepted.get(rollback.back_to) if rollback.back_to else None))
    return Course(tuple(sorted(changes, key=lambda change: change.seq)))
