"""One process at a time works on a review run, on all machines that share its ledger.

On one machine the lock is the kernel's (`committee.holding`); among machines it is the ledger's server's. Each goes
with its process, however that ends.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Protocol

from committee.holding import held_alone


class Shared(Protocol):
    """What machines share: a ledger."""

    @property
    def path(self) -> str:
        """How sentences name it."""

    def claimed(self, name: str) -> AbstractContextManager[bool]:
        """Hold a name for the length of the block on every machine: whether it was free."""


@contextmanager
def held_everywhere(shared: Shared, folder: Path, run: str) -> Iterator[str]:
    """As `held`, and among the machines that share a ledger on a server. Raises LedgerError where that is not there."""
    with held(folder, run) as taken:
        if taken:
            yield taken
            return
        with shared.claimed(run) as free:
            yield "" if free else _elsewhere(run, shared.path)


@contextmanager
def held(folder: Path, run: str) -> Iterator[str]:
    """Hold the run for the length of the block. Yields nothing, or one sentence where another one holds it."""
    with held_alone(folder, run) as holder:
        yield _taken(run, holder) if holder else ""


def _taken(run: str, holder: str) -> str:
    return f"{holder} is at work on this run; wait for its end or stop it, then `committee resume {run}`"


def _elsewhere(run: str, ledger: str) -> str:
    return (
        f"another machine is at work on this run, by the ledger that it shares ({ledger}); wait for its end or stop it "
        f"there, then `committee resume {run}`"
    )
