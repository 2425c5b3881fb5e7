"""The file beside the database that names its newest entry, so that a cut tail or an older copy put back is seen.

It may be behind the database (a kill between commit and this file), never ahead of it.
"""

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from ledger.chain import GENESIS, Head
from ledger.errors import LedgerError

MAX_HEAD_BYTES = 4096  # three short fields; more is not a head file
EMPTY = Head(0, GENESIS)  # what a new ledger's head file says


@dataclass(frozen=True)
class _Written:
    seq: int
    id: str
    time: str


def head_path(path: Path) -> Path:
    """Where the head file of this database stands."""
    return path.with_name(path.name + ".head")


def read_head(path: Path) -> Head | None:
    """The head that stands beside the database, none if there is no such file. Raises LedgerError if unreadable."""
    where = head_path(path)
    try:
        with where.open("rb") as stream:
            value = json.loads(stream.read(MAX_HEAD_BYTES))
        seq, entry_id = value["seq"], value["id"]
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise LedgerError(f"head file {where} cannot be read; bring it back from git or a copy") from error
    if type(seq) is not int or not isinstance(entry_id, str) or seq < 0 or len(entry_id) != len(GENESIS):
        raise LedgerError(f"head file {where} names no entry; bring it back from git or a copy")
    return Head(seq, entry_id)


def write_head(path: Path, head: Head, time: str) -> None:
    """Replace the head file as a whole: written beside, fsynced, renamed. The caller holds the write lock."""
    where = head_path(path)
    beside = where.with_name(where.name + ".new")
    with beside.open("w") as stream:
        stream.write(json.dumps(asdict(_Written(head.seq, head.id, time)), sort_keys=True) + "\n")
        stream.flush()
        os.fsync(stream.fileno())
    beside.replace(where)
