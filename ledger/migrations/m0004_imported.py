"""Migration 4: imported pages and other engines' results. Never edited."""

from sqlalchemy import Column, Connection, ForeignKey, MetaData, Table

from ledger.migrations.building import INTEGER, column, guard

ENTRY_TABLES = {
    "imported_page": "title language source_sha256! person",
    "reference": "target! engine build model source_sha256! person",
}
ITEM_TABLES = {
    "imported_piece": "form text under date? about:bool",
    "reference_result": "test tok_s:float sd_tok_s:float? samples:int",
}


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
