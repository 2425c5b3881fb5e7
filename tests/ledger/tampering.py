"""Changing a ledger behind its back, the way someone with the file and plain sqlite3 would."""

# ruff: noqa: S608 - statements are made of names that stand in this file

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from ledger.chain import Header
from ledger.findings import FindingKind
from ledger.verify import verify

HEADER = ("seq", "time", "actor", "kind", "version", "payload_sha256", "previous")


@contextmanager
def unguarded(path: Path) -> Iterator[sqlite3.Connection]:
    """A plain connection with every trigger dropped, and put back at the end."""
    with closing(sqlite3.connect(path, isolation_level=None)) as plain:
        plain.execute("PRAGMA synchronous=OFF")
        plain.execute("BEGIN")
        triggers = plain.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _sql in triggers:
            plain.execute(f"DROP TRIGGER {name}")
        yield plain
        for _name, sql in triggers:
            plain.execute(sql)
        plain.execute("COMMIT")


def tamper(path: Path, *statements: str) -> None:
    """Run statements without the guards."""
    with unguarded(path) as plain:
        for statement in statements:
            plain.execute(statement)


def forge(plain: sqlite3.Connection, seq: int) -> None:
    """Give a changed entry the id that its header now has."""
    row = plain.execute(f"SELECT {', '.join(HEADER)} FROM entry WHERE seq = {seq}").fetchone()
    plain.execute("UPDATE entry SET id = ? WHERE seq = ?", (Header(*row).id(), seq))


def found(path: Path) -> list[tuple[FindingKind, str]]:
    """What verify says is wrong, and where."""
    return [(finding.what, finding.where) for finding in verify(path).findings]


def flip(content: bytes, at: int, change: Callable[[int], int] = lambda byte: byte ^ 1) -> bytes:
    """The content with one byte changed."""
    return content[:at] + bytes([change(content[at])]) + content[at + 1 :]
