"""Reading a file that somebody named: a regular one only, never more of it than is wanted, and never waiting.

A pipe would be waited for until somebody writes into it, a device could be read without end.
"""

import errno
import os
import stat
from pathlib import Path


def read_regular(path: Path, most_bytes: int) -> bytes:
    """The content, or `most_bytes` + 1 of a longer one. Raises OSError, also for what is no regular file."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        mode = os.fstat(handle).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if not stat.S_ISREG(mode):
            raise OSError(errno.EINVAL, "it is no regular file", str(path))
        with os.fdopen(handle, "rb", closefd=False) as stream:
            return stream.read(most_bytes + 1)
    finally:
        os.close(handle)
