"""What tombstones say is withheld, read from their projections, which are compared with the entries like all others."""

from dataclasses import dataclass

from sqlalchemy import Connection, select

from ledger.checks.schema import tables_there
from ledger.projections import table_of
from ledger.review_tables import TombstoneBlobRow, TombstoneEntryRow

ENTRIES, BLOBS = table_of(TombstoneEntryRow), table_of(TombstoneBlobRow)


@dataclass(frozen=True)
class Withheld:
    """Everything that is not to be read here any more."""

    entries: frozenset[str]  # ids
    blobs: frozenset[str]  # hashes


def withheld(connection: Connection) -> Withheld:
    """What the tombstones name."""
    if len(tables_there(connection, (ENTRIES, BLOBS))) < 2:
        return Withheld(frozenset(), frozenset())
    entries = connection.execute(select(ENTRIES.c.entry).distinct()).scalars()
    blobs = connection.execute(select(BLOBS.c.blob).distinct()).scalars()
    return Withheld(frozenset(map(str, entries)), frozenset(map(str, blobs)))
