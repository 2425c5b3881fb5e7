"""Copying a whole ledger into an empty one: headers, payload bytes and blobs as they are, tables computed anew."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, select

from ledger import batches
from ledger.blobs import BLOB, CHUNK
from ledger.chain import Head
from ledger.checks.stored import ENTRY, raw_rows, stored_entry
from ledger.errors import LedgerError
from ledger.inserting import ENTRY_COLUMNS, ENTRY_PLAN, insert_rows
from ledger.plans import Plan, Row
from ledger.projections import project
from ledger.store import Ledger
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
    """Copy a ledger that is whole to where none is. Raises LedgerError, leaving the source as it is, otherwise."""
    before = verify(source)
    if not before.ok:
        raise LedgerError(f"{source} is not whole and is not copied: {before.findings[0].sentence}")
    with Ledger.open(source, actor=ACTOR) as old, Ledger.open(to, actor=ACTOR, create=True) as new:
        if new.head() is not None:
            raise LedgerError(f"{new.path} holds entries already; name an empty place")
        with old.looking() as reading_from, new.receiving() as writing_to:
            _copy_blobs(reading_from, writing_to)
            _copy_entries(reading_from, writing_to)
    after = verify(to)
    if not after.ok or (after.entries, after.blobs, after.head) != (before.entries, before.blobs, before.head):
        said = after.findings[0].sentence if after.findings else "it is another ledger"
        raise LedgerError(f"the copy at {to} is not whole ({said}); remove it and copy again")
    return Copied(after.entries, after.blobs, after.head)


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
