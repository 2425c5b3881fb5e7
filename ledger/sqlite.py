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
CHANGED = "changed while it was read"


def open_engine(path: Path, *, create: bool) -> Engine:
    """An engine for reading and writing: WAL, fsync at every commit, foreign keys, a bounded wait for the lock.

    Where nothing can be written it reads, and the first write is refused.
    """

    def connect() -> sqlite3.Connection:
        raw = _Frozen(path) if _is_frozen(path) else _connect(path, "rwc" if create else "rw")
        raw.execute("PRAGMA synchronous=FULL")
        raw.execute("PRAGMA foreign_keys=ON")
        raw.execute("PRAGMA secure_delete=ON")  # what a tombstone withholds leaves no bytes in free pages
        return raw

    return _engine(connect)


def open_read_only(path: Path, *, exact: bool = False) -> Engine:
    """An engine that cannot write.

    With `exact`, text that is no UTF-8 is an error of the database; without, it is read as far as it goes.
    """

    def connect() -> sqlite3.Connection:
        raw = _Frozen(path) if _is_frozen(path) else _connect(path, "ro")
        if not exact:
            raw.text_factory = _any_text
        return raw

    return _engine(connect)


def _any_text(content: bytes) -> str:
    """Text with a damaged byte is read too, so that it can be named instead of ending the reading."""
    return content.decode("utf-8", "replace")


def _is_frozen(path: Path) -> bool:
    """Whether the file is whole by itself, and no lock can be set beside it.

    Where somebody has it open, the files of the write-ahead log are there, and SQLite reads through them.
    """
    ids = os.access in os.supports_effective_ids
    if all(os.access(one, os.W_OK, effective_ids=ids) for one in (path, path.parent)):
        return False  # asked first: where it can be written, its log comes and goes with whoever opens it
    return path.exists() and not _log_size(path) and not _beside(path, "-shm").exists()


def _beside(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)


def _log_size(path: Path) -> int:
    """Bytes of the write-ahead log, which goes when another process, the last to have the file open, closes it."""
    try:
        return _beside(path, "-wal").stat().st_size
    except (FileNotFoundError, NotADirectoryError):
        return 0


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    address = _address(path, mode)
    return sqlite3.connect(address, uri=True, timeout=BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False)


def _address(path: Path, mode: str) -> str:
    return f"file:{quote(str(path.absolute()))}?mode={mode}"


class _Frozen(sqlite3.Connection):
    """Reads a file without a lock. Its owner may begin to write all the same; what was read is then no answer."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.before: os.stat_result | None = path.stat()
        address = _address(path, "ro&immutable=1")
        super().__init__(address, uri=True, isolation_level=None, check_same_thread=False)

    def rollback(self) -> None:
        """As every reading ends. Raises OperationalError, once, when the file is another one than it was."""
        if self.before is None or not self.in_transaction:
            return
        super().rollback()
        now, before = self.path.stat(), self.before
        if (now.st_mtime_ns, now.st_size, now.st_ino) != (before.st_mtime_ns, before.st_size, before.st_ino):
            self.before = None
            self.close()  # what it holds in its cache is of two times
            raise sqlite3.OperationalError(CHANGED)


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
        if cursor.execute("PRAGMA journal_mode").fetchone()[0] != "wal":  # in vain, and no harm, where a file is frozen
            cursor.execute("PRAGMA journal_mode=WAL")
    finally:
        raw.close()


def empty_wal(engine: Engine) -> bool:
    """Move everything from the write-ahead log into the file and cut the log to nothing; whether that was done.

    It is not while somebody reads what was there before, or writes.
    """
    raw = engine.raw_connection()
    try:
        busy, _frames, _moved = raw.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    finally:
        raw.close()
    return not busy


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
    if "unable to open" in said and _log_size(path) and os.access(path, os.R_OK):
        log = _beside(path, "-wal").name
        return (
            f"the newest entries of {path} lie in {log}, which cannot be read in a folder that may not be written; "
            f"copy {path.name} and {log} together into a folder of your own and read that copy ({said})"
        )
    for words, advice in (
        (CHANGED, "was written by its owner while it was read here, where no lock can be set; read it again"),
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
