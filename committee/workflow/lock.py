"""One process at a time works on a review run. The lock is the kernel's and goes with its process, however it ends."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MAX_HOLDER_BYTES = 20  # a process id


@contextmanager
def held(folder: Path, run: str) -> Iterator[str]:
    """Hold the run for the length of the block. Yields nothing, or one sentence where another one holds it."""
    folder.mkdir(parents=True, exist_ok=True)
    handle = os.open(folder / f"{run}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield _taken(run, os.read(handle, MAX_HOLDER_BYTES).decode("ascii", "replace").strip())
            return
        os.ftruncate(handle, 0)
        os.write(handle, f"{os.getpid()}\n".encode())
        yield ""
    finally:
        os.close(handle)


def _taken(run: str, holder: str) -> str:
    who = f"process {holder}" if holder.isdigit() else "another process"
    return f"{who} is at work on this run; wait for its end or stop it, then `committee resume {run}`"
