"""Asking which tombstone withholds an entry's payload or a blob's content. It never writes."""

from sqlalchemy import ColumnElement, Connection, Table, inspect, select

from ledger.entries import Withheld
from ledger.plans import table_of
from ledger.review_tables import TombstoneBlobRow, TombstoneEntryRow, TombstoneRow

TOMBSTONE, ENTRIES, BLOBS = (table_of(one) for one in (TombstoneRow, TombstoneEntryRow, TombstoneBlobRow))


def withheld_by(connection: Connection, entry_id: str) -> Withheld | None:
    """The tombstone that withholds this entry's payload, none when there is none."""
    return _tombstone(connection, ENTRIES.c.entry == entry_id, ENTRIES)


def blob_withheld_by(connection: Connection, sha256: str) -> Withheld | None:
    """The tombstone that withholds this blob's content, none when there is none."""
    return _tombstone(connection, BLOBS.c.blob == sha256, BLOBS)


def _tombstone(connection: Connection, where: ColumnElement[bool], items: Table) -> Withheld | None:
    if not inspect(connection).has_table(items.name):  # a file of the first release, being verified
        return None
    joined = items.join(TOMBSTONE, TOMBSTONE.c.seq == items.c.seq)
    wanted = select(TOMBSTONE).select_from(joined).where(where).order_by(TOMBSTONE.c.seq).limit(1)
    row = connection.execute(wanted).one_or_none()
    return None if row is None else Withheld(tombstone=row.seq, reason=row.reason, person=row.person)
