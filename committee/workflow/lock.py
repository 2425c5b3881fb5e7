"""One process at a time works on a review run. The lock is the kernel's and goes with its process, however it ends."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MAX_HOLDER_BYTES = 20  # a process id
LOCKED_BYTE = 1 << 20  # on Windows one byte is locked, and nobody else may read it: one far behind the holder's id


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
