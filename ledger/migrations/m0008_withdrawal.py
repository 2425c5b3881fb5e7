"""Migration 8: withdrawn approvals of code. Never edited."""

from sqlalchemy import Column, Connection, ForeignKey, MetaData, Table

from ledger.migrations.building import INTEGER, column, guard

WITHDRAWAL = "approval! fingerprint! arm_name proposal?! reason person"


def upgrade(connection: Connection) -> None:
    """Make the table."""
    metadata = MetaData()
    Table("entry", metadata, Column("seq", INTEGER, primary_key=True))
    key = Column("seq", INTEGER, ForeignKey("entry.seq"), primary_key=True)
    made = Table("withdrawal", metadata, key, *(column(one) for one in WITHDRAWAL.split()))
    metadata.create_all(connection, tables=[made])
    guard(connection, made)
