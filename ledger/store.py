"""The `Ledger`: open, append in one immediate transaction, read, keep the head file. It never changes or removes."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import BinaryIO, Self, TypeVar

from sqlalchemy import Connection, Engine, Table, select

from ledger import blobs, reading
from ledger.chain import Entry, Head, utc_now
from ledger.database import Database
from ledger.entries import BlobRef, Payload
from ledger.errors import LedgerError
from ledger.head_file import EMPTY, read_head, write_head
from ledger.inserting import insert_entries
from ledger.opening import prepare
from ledger.places import database_at
from ledger.projections import table_of
from ledger.tables import EntryRow

__all__ = ["Entry", "Head", "Ledger", "LedgerError"]

P = TypeVar("P", bound=Payload)
ENTRY = table_of(EntryRow)


class Ledger:
    """One ledger. Use it as a context manager; every method raises LedgerError with one clear sentence."""

    def __init__(self, database: Database, actor: str, engine: Engine) -> None:
        self.path = database.said
        self.actor = actor
        self.database = database
        self._engine: Engine | None = engine
        self._kept: Connection | None = None  # for reading
        self._kept_free = Lock()
        self._writer: Connection | None = None
        self._writer_free = Lock()

    @classmethod
    def open(cls, place: Path | str, *, actor: str, create: bool = False, beside: Path | None = None) -> "Ledger":
        """Open a ledger for reading and appending as `actor`; with `create`, make it when there is none.

        `place` is a file, or a URL "postgresql://user@host/database" with `beside` naming where its head file lies.
        """
        if not actor.strip():
            raise LedgerError("a ledger is opened by somebody; give a non-empty actor")
        database = database_at(place, beside)
        database.refuse_absent(create=create)
        with database.said_plainly():
            engine = database.engine(create=create)
            try:
                prepare(database, engine, create=create)
            except BaseException:
                engine.dispose()
                raise
        return cls(database, actor, engine)

    def append(self, payload: Payload) -> Entry:
        """Record one payload, with its projections, as the new head."""
        return self.append_all((payload,))[0]

    def append_all(self, payloads: Sequence[Payload], contents: Sequence[bytes] = ()) -> tuple[Entry, ...]:
        """Record several payloads, all or none, in one transaction inside which the head is read.

        `contents` are blobs that they name, stored before them in the same transaction.
        """
        return self._append(payloads, contents, None) or ()

    def append_after(
        self, seq: int, payloads: Sequence[Payload], contents: Sequence[bytes] = ()
    ) -> tuple[Entry, ...] | None:
        """As `append_all`, but only if entry `seq` (0: none) is still the newest; none, with nothing written, if not.

        For what was decided by reading the ledger: nobody can have written in between.
        """
        return self._append(payloads, contents, seq)

    def _append(
        self, payloads: Sequence[Payload], contents: Sequence[bytes], after: int | None
    ) -> tuple[Entry, ...] | None:
        if not payloads:
            return ()
        with self.database.said_plainly(), ExitStack() as stack:
            prepared = [blobs.prepare(content) for content in contents]
            for blob in prepared:
                stack.enter_context(blob.compressed)
            connection = stack.enter_context(self._session())
            with self.database.transaction(connection):
                head = newest(connection)
                if after is not None and after != (head.seq if head else 0):
                    return None
                refuse_cut(connection, self.database, head)
                blobs.store_all(connection, prepared)
                entries = self._record(connection, payloads, head)
            self._refresh_head_file(connection)
        return entries

    def append_with(self, payload: Payload, of: Callable[[Entry], Payload]) -> tuple[Entry, Entry]:
        """Record a payload and what `of` makes of its entry, which can name it: both or none, in one transaction."""
        with self.database.said_plainly(), self._session() as connection:
            with self.database.transaction(connection):
                head = newest(connection)
                refuse_cut(connection, self.database, head)
                (first,) = self._record(connection, (payload,), head)
                (second,) = self._record(connection, (of(first),), Head(first.seq, first.id))
            self._refresh_head_file(connection)
        return first, second

    def claimed(self, name: str) -> AbstractContextManager[bool]:
        """Hold a name for the length of the block, on every machine that shares this ledger: whether it was free."""
        return self.database.claimed(name)

    def put_blob(self, content: bytes | BinaryIO, media_type: str) -> BlobRef:
        """Store a large thing, streamed and compressed, at most `blobs.MAX_BLOB_BYTES`. Same content, same blob."""
        engine = self._open_engine
        with self.database.said_plainly():
            prepared = blobs.prepare(content)
            with prepared.compressed, self.database.writing(engine) as connection:
                blobs.store(connection, prepared)
        return BlobRef(sha256=prepared.sha256, size=prepared.size, media_type=media_type)

    def read_blob(self, sha256: str) -> bytes:
        """A blob's content, checked against its name."""
        with self._reading() as connection:
            return b"".join(blobs.pieces(connection, sha256))

    def entries(self, *kinds: str, after: int = 0) -> Iterator[Entry]:
        """Entries in order, of these kinds (all when none is named), with a sequence above `after`."""
        while True:
            with self.database.said_plainly(), self._open_engine.connect() as connection:
                page = reading.page(connection, kinds, after)
            if not page:
                return
            yield from page
            after = page[-1].seq

    def of(self, schema: type[P], **where: object) -> list[tuple[Entry, P]]:
        """Entries of one kind with their typed payloads, in order, whose fields equal what is given."""
        with self._reading() as connection:
            return reading.of(connection, schema, where)

    def find(self, wanted: str) -> Entry:
        """The entry with this sequence ('12' or '#12') or this unique beginning of an id (at least 6 digits)."""
        with self._reading() as connection:
            return reading.find(connection, wanted)

    def head(self) -> Head | None:
        """The newest entry, none in an empty ledger."""
        with self._reading() as connection:
            return newest(connection)

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """One immediate write transaction; for this package's own use."""
        with self.database.said_plainly(), self.database.writing(self._open_engine) as connection:
            yield connection

    @contextmanager
    def looking(self) -> Iterator[Connection]:
        """One connection for reading; for this package's own use."""
        with self.database.said_plainly(), self._open_engine.connect() as connection:
            yield connection

    @contextmanager
    def receiving(self) -> Iterator[Connection]:
        """One write transaction that may put entries in as they are; for copying a whole ledger into an empty one."""
        with self.database.said_plainly():
            with self.database.writing(self._open_engine) as connection:
                yield connection
                head = newest(connection)
                if head is not None:
                    self.database.head_moved(connection, head)
            with self.database.session(self._open_engine) as again:
                self._refresh_head_file(again)

    @contextmanager
    def rewriting(self, *tables: Table) -> Iterator[tuple[Connection, Callable[[Payload], Entry]]]:
        """One write transaction in which the guards of these tables stand aside, and a way to append inside it.

        For this package's own use: refilling projections, and taking out what a tombstone withholds.
        """
        with self.database.said_plainly():
            with self.database.rewriting(self._open_engine) as connection:
                head = newest(connection)
                refuse_cut(connection, self.database, head)
                with self.database.unguarded(connection, tables):
                    yield connection, lambda payload: self._record(connection, (payload,), newest(connection))[0]
            with self.database.session(self._open_engine) as again:
                self._refresh_head_file(again)

    def forget(self) -> None:
        """Overwrite what was taken out where old bytes may still lie."""
        with self.database.said_plainly():
            self.database.forget(self._open_engine)

    def _record(self, connection: Connection, payloads: Sequence[Payload], head: Head | None) -> tuple[Entry, ...]:
        entries = insert_entries(connection, payloads, self.actor, head)
        self.database.head_moved(connection, Head(entries[-1].seq, entries[-1].id))
        return entries

    @contextmanager
    def kept_open(self) -> Iterator[None]:
        """For the length of many short readings and writings: one connection stays open for each of the two.

        SQLite folds its write-ahead log into the file, with two more fsyncs, whenever the last connection is closed.
        """
        engine = self._open_engine
        with self.database.said_plainly(), engine.connect() as reader, self.database.session(engine) as writer:
            newest(reader)
            reader.rollback()
            self._kept, self._writer = reader, writer
            try:
                yield
            finally:
                self._kept = self._writer = None

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        """The connection that is kept, where nobody else reads with it just now; else a new one."""
        with self.database.said_plainly():
            kept = self._kept
            if kept is not None and self._kept_free.acquire(blocking=False):
                try:
                    yield kept
                finally:
                    kept.rollback()  # what is read next is read as it is then
                    self._kept_free.release()
            else:
                with self._open_engine.connect() as connection:
                    yield connection

    @contextmanager
    def _session(self) -> Iterator[Connection]:
        """The writing connection that is kept, where nobody else writes with it just now; else a new one."""
        kept = self._writer
        if kept is not None and self._writer_free.acquire(blocking=False):
            try:
                yield kept
            finally:
                self._writer_free.release()
        else:
            with self.database.session(self._open_engine) as connection:
                yield connection

    def close(self) -> None:
        """Let go of the file. Any later call is an error; closing twice is not."""
        if self._engine is not None:
            self._engine.dispose()
            self._engine = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def _open_engine(self) -> Engine:
        if self._engine is None:
            raise LedgerError(f"ledger {self.path} is closed; open it again")
        return self._engine

    def _refresh_head_file(self, connection: Connection) -> None:
        """Under the write lock, so that two processes cannot put an older head over a newer one."""
        beside = self.database.beside
        if beside is None:
            return
        with self.database.transaction(connection):
            head = newest(connection)
            if head is not None:
                write_head(beside, head, utc_now())


def newest(connection: Connection) -> Head | None:
    """The newest entry, none in an empty ledger."""
    row = connection.execute(select(ENTRY.c.seq, ENTRY.c.id).order_by(ENTRY.c.seq.desc()).limit(1)).one_or_none()
    return None if row is None else Head(row.seq, row.id)


def refuse_cut(connection: Connection, database: Database, head: Head | None) -> None:
    """Raise LedgerError when the head file names an entry that the database lacks: appending would hide a loss."""
    said = read_head(database.beside) if database.beside else None
    if said is None or said == EMPTY:
        return
    found = connection.execute(select(ENTRY.c.id).where(ENTRY.c.seq == said.seq)).scalar()
    if found != said.id:
        last = f"ends at #{head.seq}" if head else "is empty"
        raise LedgerError(
            f"{database.said} {last}, but its head file names entry #{said.seq} {said.id[:12]}, which is not in it: "
            "the tail was cut or an older copy put back; run `verify` and bring back the newer file"
        )
