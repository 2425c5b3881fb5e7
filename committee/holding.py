"""One process of this machine at a time holds a name. The lock is the kernel's: it goes with its process, however that
ends, and nobody has to clear it away."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MAX_HOLDER_BYTES = 20  # a process id
LOCKED_BYTE = 1 << 20  # on Windows one byte is locked, and nobody else may read it: one far behind the holder's id


@contextmanager
def held_alone(folder: Path, name: str) -> Iterator[str]:
    """Hold the name for the length of the block. Yields nothing, or the words for whoever holds it already."""
    folder.mkdir(parents=True, exist_ok=True)
    handle = os.open(folder / f"{name}.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if not _locked(handle):
            holder = os.read(handle, MAX_HOLDER_BYTES).decode("ascii", "replace").strip()
            yield f"process {holder}" if holder.isdigit() else "another process"
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
