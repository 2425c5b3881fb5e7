"""Room on the workspace's disk, kept for answers that are on their way: a disk that fills up loses none of them.

It is a file without a name, so it is gone with its process, however that ends. It is given up where an answer cannot be
recorded; nothing more is asked after that.
"""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

ROOM_BYTES = 16 << 20  # four answers at their longest, or some hundreds of ordinary ones


class Room:
    """What is kept of it."""

    def __init__(self, file: IO[bytes] | None) -> None:
        self._file = file

    @property
    def kept(self) -> bool:
        """Whether it is still there."""
        return self._file is not None

    def give_up(self) -> None:
        """Leave it to the ledger."""
        if self._file is not None:
            self._file.close()
            self._file = None


@contextmanager
def kept_room(folder: Path, size: int = ROOM_BYTES) -> Iterator[Room]:
    """Room in that folder for the length of the block; none is kept where the disk has none."""
    room = Room(_taken(folder, size))
    try:
        yield room
    finally:
        room.give_up()


def _taken(folder: Path, size: int) -> IO[bytes] | None:
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        file = tempfile.TemporaryFile(dir=folder, buffering=0)  # noqa: SIM115 - open as long as it is kept
        try:
            if hasattr(os, "posix_fallocate"):
                os.posix_fallocate(file.fileno(), 0, size)
            else:
                file.write(bytes(size))
        except OSError:
            file.close()
            return None
        return file
    return None
