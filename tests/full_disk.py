"""A disk that has no room left."""

import os
from pathlib import Path


def fill(path: Path) -> None:
    """Write to a file until the disk takes nothing more."""
    with path.open("ab", buffering=0) as out:
        for size in (1 << 16, 1 << 8, 1):
            try:
                while True:
                    out.write(os.urandom(size))
            except OSError:
                continue
