"""One process at a time works on a review run, on all machines that share its ledger.

On one machine the lock is the kernel's; among machines it is the ledger's server's. Each goes with its process, however
that ends.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Protocol

MAX_HOLDER_BYTES = 20  # a process id
LOCKED_BYTE = 1 << 20  # on Windows one byte is locked, and nobody else may read it: one far behind the holder's id


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
    folder.mkdir(parents=True, exist_ok=True)
    handle = os.open(folder / f"{run}.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if not _locked(handle):
            yield _taken(run, os.read(handle, MAX_HOLDER_BYTES).decode("ascii", "replace").strip())
            return
        os.ftruncate(handle, 0)
        os.write(handle, f"{os.getpid()}\n".encode())
        yield ""
    finally:
        os.close(handle)


def _locked(handle: int) -> bool:
    if sys.platform == "win32":
        import msvcrt  # noqa: PLC0415 - only Windows has it

        try:
            os.lseek(handle, LOCKED_BYTE, os.SEEK_SET)
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        finally:
            os.lseek(handle, 0, os.SEEK_SET)
        return True
    import fcntl  # noqa: PLC0415 - only POSIX has it, and the front office loads without

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _taken(run: str, holder: str) -> str:
    who = f"process {holder}" if holder.isdigit() else "another process"
    return f"{who} is at work on this run; wait for its end or stop it, then `committee resume {run}`"


def _elsewhere(run: str, ledger: str) -> str:
    return (
        f"another machine is at work on this run, by the ledger that it shares ({ledger}); wait for its end or stop it "
        f"there, then `committee resume {run}`"
    )
