"""Migration 2: roots of batches, checkpoints and tombstones. Never edited."""

from sqlalchemy import Column, Connection, ForeignKey, MetaData, Table, select

from ledger.migrations.building import INTEGER, column, guard
from ledger.tree import BATCH_ENTRIES, batch_root, leaf_hash

ENTRY_TABLES = {"checkpoint": "size:int root head", "tombstone": "reason person", "batch": "root"}
ITEM_TABLES = {"tombstone_entry": "entry!", "tombstone_blob": "blob!"}


def upgrade(connection: Connection) -> None:
    """Make the tables, and fill in the roots of the batches that are full already."""
    metadata = MetaData()
    entry = Table("entry", metadata, Column("seq", INTEGER, primary_key=True), column("id"))
    made = []
    for name, columns in (ENTRY_TABLES | ITEM_TABLES).items():
        key = [Column("seq", INTEGER, ForeignKey("entry.seq"), primary_key=True)]
        if name in ITEM_TABLES:
            key.append(Column("item", INTEGER, primary_key=True))
        made.append(Table(name, metadata, *key, *(column(one) for one in columns.split())))
    metadata.create_all(connection, tables=made)
    leaves = [leaf_hash(bytes.fromhex(one)) for one in connection.execute(select(entry.c.id).order_by("seq")).scalars()]
    full = range(BATCH_ENTRIES, len(leaves) + 1, BATCH_ENTRIES)
    roots = [{"seq": last, "root": batch_root(leaves[last - BATCH_ENTRIES : last]).hex()} for last in full]
    if roots:
        connection.execute(metadata.tables["batch"].insert(), roots)
    for table in made:
        guard(connection, table)
