"""Copying a whole ledger into an empty one: headers, payload bytes and blobs as they are, tables computed anew."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, select

from ledger import batches
from ledger.blobs import BLOB, CHUNK
from ledger.chain import Head
from ledger.checks.stored import ENTRY, raw_rows, stored_entry
from ledger.errors import LedgerError, NoSuchError
from ledger.findings import Verification
from ledger.inserting import ENTRY_COLUMNS, ENTRY_PLAN, insert_rows
from ledger.places import database_at
from ledger.plans import Plan, Row
from ledger.projections import project
from ledger.store import Ledger, newest
from ledger.verify import verify

ACTOR = "copy"  # writes nothing of its own, so nobody ever reads this name
PAGE_ENTRIES = 1000  # in memory at once
BLOB_PLAN = Plan(BLOB, ("size", "chunks"), lambda _value: ())
CHUNK_PLAN = Plan(CHUNK, ("content",), lambda _value: ())


@dataclass(frozen=True)
class Copied:
    """What came out at the other side, verified there."""

    entries: int
    blobs: int
    head: Head | None


def copy_ledger(source: Path | str, to: Path | str) -> Copied:
    """Copy a ledger that is whole to where none is; what is appended to it meanwhile is left out.

    Raises LedgerError, as NoSuchError for a source that cannot be read and a place that is not empty. The source is
    only read: one of an earlier release stays as it is.
    """
    old, whole = database_at(source), _verified(source)
    if not whole.ok:
        raise LedgerError(f"{old.said} is not whole and is not copied: {whole.findings[0].sentence}")
    with Ledger.open(to, actor=ACTOR, create=True) as new:
        if new.head() is not None:
            raise NoSuchError(f"{new.path} holds entries already; name an empty place")
        with old.said_plainly(), old.reading_engine().connect() as reading_from, new.receiving() as writing_to:
            head = newest(reading_from)  # and from here on one view of the source
            _copy_blobs(reading_from, writing_to)
            _copy_entries(reading_from, writing_to)
        made = new.path
    after = verify(to)
    if not after.ok or after.head != head:
        said = after.findings[0].sentence if after.findings else "it is another ledger"
        raise LedgerError(f"the copy at {made} is not whole ({said}); remove it and copy again")
    return Copied(after.entries, after.blobs, after.head)


def _verified(source: Path | str) -> Verification:
    try:
        return verify(source)
    except LedgerError as error:  # it was named, and is no ledger that could be looked into
        raise NoSuchError(str(error)) from error


def _copy_blobs(old: Connection, new: Connection) -> None:
    for sha256, size, chunks in old.execute(select(BLOB.c.sha256, BLOB.c.size, BLOB.c.chunks)).all():
        insert_rows(new, [Row(BLOB_PLAN, (sha256, size, chunks))])
        for item in range(chunks):
            wanted = (CHUNK.c.sha256 == sha256) & (CHUNK.c.item == item)
            content = old.execute(select(CHUNK.c.content).where(wanted)).scalar()
            if content is not None:  # none where a tombstone withholds it
                insert_rows(new, [Row(CHUNK_PLAN, (sha256, item, content))])


def _copy_entries(old: Connection, new: Connection) -> None:
    last = 0
    for page in _pages(old):
        insert_rows(new, [Row(ENTRY_PLAN, tuple(row[name] for name in ENTRY_COLUMNS)) for row in page])
        whole = [row for row in page if row["payload"] is not None]
        insert_rows(new, (one for row in whole for one in project(stored_entry(row, int(str(row["seq"]))))))
        before, last = last, last + len(page)
        insert_rows(new, batches.full_batches(new, before, last))


def _pages(old: Connection) -> Iterator[list[dict[str, object]]]:
    after = 0
    while page := list(raw_rows(old, ENTRY, ENTRY.c.seq > after, ENTRY.c.seq <= after + PAGE_ENTRIES)):
        yield page
        after += PAGE_ENTRIES
