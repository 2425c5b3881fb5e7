"""Refilling the projections from the entries, in one transaction. The entries themselves are never touched."""

from pathlib import Path

from sqlalchemy import Connection, func, select
from sqlmodel import SQLModel

from ledger import batches, reading
from ledger.errors import LedgerError
from ledger.findings import REPAIRED_BY_REBUILD
from ledger.inserting import insert_rows
from ledger.places import database_at
from ledger.projections import ROW_TYPES, project, table_of
from ledger.store import Ledger
from ledger.tables import BlobChunkRow, BlobRow, EntryRow, MigrationRow
from ledger.verify import verify

TRUTH: tuple[type[SQLModel], ...] = (EntryRow, BlobRow, BlobChunkRow, MigrationRow)
REFILLED = (*(table_of(row_type) for row_type in ROW_TYPES), batches.BATCH)
EVERY_TABLE = (*REFILLED, *(table_of(row_type) for row_type in TRUTH))


def rebuild(place: Path | str, *, actor: str, beside: Path | None = None) -> int:
    """Empty and refill every projection and put missing triggers back; returns how many entries were projected.

    Raises LedgerError when anything but projections and triggers is wrong: what the projections still say is then
    the last witness of what an entry said.
    """
    wrong = [one for one in verify(place, beside=beside).findings if one.what not in REPAIRED_BY_REBUILD]
    if wrong:
        said = wrong[0].sentence
        raise LedgerError(f"{database_at(place).said} cannot be rebuilt, because its entries are not whole: {said}")
    with Ledger.open(place, actor=actor, beside=beside) as ledger, ledger.rewriting(*EVERY_TABLE) as (connection, _):
        for table in REFILLED:
            connection.execute(table.delete())
        return _refill(connection)


def _refill(connection: Connection) -> int:
    count = after = 0
    while page := reading.page(connection, (), after, with_withheld=False):
        insert_rows(connection, (row for entry in page for row in project(entry)))
        count += len(page)
        after = page[-1].seq
    last = connection.execute(select(func.max(reading.ENTRY.c.seq))).scalar() or 0
    insert_rows(connection, batches.full_batches(connection, 0, last))
    return count
