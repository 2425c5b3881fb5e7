"""The only file with words of SQLite: opening, settings, transactions, errors, its own list of the schema.

Moving to another database means another file of these few functions.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import Connection, Engine, NullPool, create_engine, event, text
from sqlalchemy.exc import DBAPIError

from ledger.errors import DamagedError, LedgerError

DAMAGED = "malformed"  # in what SQLite says of a file that it cannot read
BUSY_TIMEOUT_S = 30.0  # another writer holds the lock for milliseconds; for a large blob, for seconds


def open_engine(path: Path, *, create: bool) -> Engine:
    """An engine for reading and writing: WAL, fsync at every commit, foreign keys, a bounded wait for the lock."""

    def connect() -> sqlite3.Connection:
        mode = "rwc" if create else "rw"
        raw = _connect(path, mode)
        raw.execute("PRAGMA synchronous=FULL")
        raw.execute("PRAGMA foreign_keys=ON")
        raw.execute("PRAGMA secure_delete=ON")  # what a tombstone withholds leaves no bytes in free pages
        return raw

    return _engine(connect)


def open_read_only(path: Path, *, exact: bool = False) -> Engine:
    """An engine that cannot write. In a folder that cannot be written the file is read as it stands.

    With `exact`, text that is no UTF-8 is an error of the database; without, it is read as far as it goes.
    """

    def connect() -> sqlite3.Connection:
        wal_is_empty = not _size(path.with_name(path.name + "-wal"))
        frozen = wal_is_empty and not os.access(path.parent, os.W_OK)
        raw = _connect(path, "ro", "&immutable=1" if frozen else "")
        if not exact:
            raw.text_factory = _any_text
        return raw

    return _engine(connect)


def _any_text(content: bytes) -> str:
    """Text with a damaged byte is read too, so that it can be named instead of ending the reading."""
    return content.decode("utf-8", "replace")


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _connect(path: Path, mode: str, more: str = "") -> sqlite3.Connection:
    address = f"file:{quote(str(path.absolute()))}?mode={mode}{more}"
    return sqlite3.connect(address, uri=True, timeout=BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False)


def _engine(connect: Any) -> Engine:
    """SQLAlchemy starts transactions; SQLite's own driver would start them too late to hold the lock."""
    engine = create_engine("sqlite://", creator=connect, poolclass=NullPool)

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get("writes", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def use_wal(engine: Engine) -> None:
    """Switch the file to a write-ahead log, so that readers never block a writer; remembered by the file."""
    raw = engine.raw_connection()
    try:
        cursor = raw.cursor()
        if cursor.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
            cursor.execute("PRAGMA journal_mode=WAL")
    finally:
        raw.close()


def empty_wal(engine: Engine) -> None:
    """Move everything from the write-ahead log into the file and cut the log to nothing."""
    raw = engine.raw_connection()
    try:
        raw.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    finally:
        raw.close()


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """A write transaction that holds the lock from its first moment (BEGIN IMMEDIATE); committed at the end."""
    with session(engine) as connection, connection.begin():
        yield connection


def session(engine: Engine) -> Connection:
    """One connection for several write transactions, each begun with `begin()`: opening and closing costs as much."""
    return engine.connect().execution_options(writes=True)


@contextmanager
def said_plainly(path: Path) -> Iterator[None]:
    """Turn what the database or the disk says into a LedgerError of one sentence."""
    try:
        yield
    except DBAPIError as error:
        raise _error(path, str(error.orig)) from error
    except (sqlite3.Error, OSError) as error:
        raise _error(path, str(error)) from error


def _error(path: Path, said: str) -> LedgerError:
    return (DamagedError if DAMAGED in said else LedgerError)(_sentence(path, said))


def _sentence(path: Path, said: str) -> str:
    for words, advice in (
        ("locked", f"is held by another writer for more than {BUSY_TIMEOUT_S:g} s; end that program and try again"),
        ("readonly", "cannot be written; make the file and its folder writable"),
        ("unable to open", "cannot be opened; check that the folder exists and may be read and written"),
        ("not a database", "is not a database; name another file or bring back a copy"),
        (DAMAGED, "is damaged; run `verify` on it and bring back a copy"),
        ("append-only", "refuses that change, because nothing recorded is changed or removed"),
        ("disk I/O", "cannot be used: its disk may be full or failing; make room, look at it and try again"),
        ("full", "cannot grow, because the disk is full; make room and try again"),
    ):
        if words in said:
            return f"{path} {advice} ({said})"
    return f"{path} cannot be used: {said}"


def schema_of(connection: Connection) -> dict[tuple[str, str], str]:
    """(type, name) -> SQL of every table, index and trigger that somebody made."""
    rows = connection.execute(text("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL"))
    return {(kind, name): " ".join(sql.split()) for kind, name, sql in rows}


def damage(connection: Connection) -> tuple[str, ...]:
    """What SQLite itself finds wrong with the file's pages; empty when nothing."""
    try:
        found = connection.execute(text("PRAGMA quick_check")).scalars().all()
    except DBAPIError as error:
        return (str(error.orig),)
    return tuple(str(one) for one in found if one != "ok")


def memory_engine() -> Engine:
    """A database that lives as long as its one connection."""
    return _engine(lambda: sqlite3.connect(":memory:", isolation_level=None))
