"""A ledger of somebody else, that may be read and not written, tried as somebody whom that concerns."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ledger.head_file import head_path

NOBODY = 65534


@contextmanager
def foreign(source: Path) -> Iterator[Path]:
    """A copy in a folder that every login may look into, with the log that lies beside, and not the list of the log."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "records.db"
        for one in (source, head_path(source), source.with_name("records.db-wal")):
            if one.exists():
                shutil.copy(one, path.with_name(one.name))
        path.parent.chmod(0o755)
        try:
            yield path
        finally:
            path.parent.chmod(0o755)


@contextmanager
def only_read(path: Path) -> Iterator[None]:
    """Nothing there can be written for the length of the block; root, who can write everything, is nobody for it."""
    files = list(path.parent.iterdir())
    for one in files:
        one.chmod(0o444)
    path.parent.chmod(0o555)
    root = os.geteuid() == 0
    if root:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)
        path.parent.chmod(0o755)
        for one in files:
            one.chmod(0o644)
