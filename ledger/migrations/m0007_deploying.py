"""Migration 7: tickets, deployments, watches and rollbacks. Never edited."""

from sqlalchemy import Column, Connection, ForeignKey, MetaData, Table

from ledger.migrations.building import INTEGER, column, guard

ENTRY_TABLES = {
    "ticket": "acceptance! target sha256",
    "deployment": "deployment! target! acceptance? ticket? outcome detail away_s:float? person",
    "watch": "acceptance! target! arm arm_name run! verdict metric load:int outcome detail",
    "rollback": "target! leaves back_to? reason person",
}
ITEM_TABLES = {"ticket_part": "name value"}


def upgrade(connection: Connection) -> None:
    """Make the tables."""
    metadata = MetaData()
    Table("entry", metadata, Column("seq", INTEGER, primary_key=True))
    made = []
    for name, columns in (ENTRY_TABLES | ITEM_TABLES).items():
        key = [Column("seq", INTEGER, ForeignKey("entry.seq"), primary_key=True)]
        if name in ITEM_TABLES:
            key.append(Column("item", INTEGER, primary_key=True))
        made.append(Table(name, metadata, *key, *(column(one) for one in columns.split())))
    metadata.create_all(connection, tables=made)
    for table in made:
        guard(connection, table)
