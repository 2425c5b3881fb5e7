"""The file beside the database that names its newest entry, so that a cut tail or an older copy put back is seen.

It may be behind the database (a kill between commit and this file), never ahead of it.
"""

import json
import os
import re
from dataclasses import asdict, dataclass
from pathlib import Path

from ledger.chain import GENESIS, Head
from ledger.errors import LedgerError
from ledger.regular_file import read_regular

MAX_HEAD_BYTES = 4096  # three short fields; more is not a head file
EMPTY = Head(0, GENESIS)  # what a new ledger's head file says
LARGEST_SEQ = 2**63 - 1  # of a row in any of the databases
ID = re.compile(f"[0-9a-f]{{{len(GENESIS)}}}")


@dataclass(frozen=True)
class _Written:
    seq: int
    id: str
    time: str


def head_path(path: Path) -> Path:
    """Where the head file of this database stands."""
    return path.with_name(path.name + ".head")


def read_head(path: Path) -> Head | None:
    """The head that stands beside the database, none if there is no such file.

    Raises LedgerError for what cannot be read, and for what no writer here writes: a pipe, a number that no entry can
    have, an id that is none, an empty ledger with an entry's id.
    """
    where = head_path(path)
    try:
        value = json.loads(_content(where))
        seq, entry_id = value["seq"], value["id"]
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, KeyError, RecursionError) as error:
        raise LedgerError(f"head file {where} cannot be read; bring it back from git or a copy") from error
    named = type(seq) is int and 0 <= seq <= LARGEST_SEQ and isinstance(entry_id, str) and ID.fullmatch(entry_id)
    if not named or (seq == 0) != (entry_id == GENESIS):
        raise LedgerError(f"head file {where} names no entry; bring it back from git or a copy")
    return Head(seq, entry_id)


def _content(where: Path) -> bytes:
    content = read_regular(where, MAX_HEAD_BYTES)
    if len(content) > MAX_HEAD_BYTES:
        raise ValueError("too long")
    return content


def write_head(path: Path, head: Head, time: str) -> None:
    """Replace the head file as a whole: written beside, fsynced, renamed. The caller holds the write lock."""
    where = head_path(path)
    beside = where.with_name(where.name + ".new")
    with beside.open("w") as stream:
        stream.write(json.dumps(asdict(_Written(head.seq, head.id, time)), sort_keys=True) + "\n")
        stream.flush()
        os.fsync(stream.fileno())
    beside.replace(where)
