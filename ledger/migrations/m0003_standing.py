"""Migration 3: invalidations and supersessions. Never edited."""

from sqlalchemy import Column, Connection, ForeignKey, MetaData, Table

from ledger.migrations.building import INTEGER, column, guard

TABLES = {"invalidation": "subject?! fact?! reason person", "supersession": "subject! by? reason person"}


def upgrade(connection: Connection) -> None:
    """Make the tables."""
    metadata = MetaData()
    Table("entry", metadata, Column("seq", INTEGER, primary_key=True))
    made = [
        Table(
            name,
            metadata,
            Column("seq", INTEGER, ForeignKey("entry.seq"), primary_key=True),
            *(column(one) for one in columns.split()),
        )
        for name, columns in TABLES.items()
    ]
    metadata.create_all(connection, tables=made)
    for table in made:
        guard(connection, table)
