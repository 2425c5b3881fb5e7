"""Migration 12: runs of the kernel bench for proposals, and the yes to a reviewer's patch of a task. Never edited."""

from sqlalchemy import Column, Connection, ForeignKey, MetaData, Table

from ledger.migrations.building import INTEGER, column, guard

TABLES = {
    "kernel_run": (
        "run! proposal! tree review_run? task! task_sha256 carried:bool device outcome detail compiled_sha256"
    ),
    "kernel_approval": "proposal! tree review_run hypothesis arm_name change approved:bool reason person",
}


def upgrade(connection: Connection) -> None:
    """Make both tables."""
    metadata = MetaData()
    Table("entry", metadata, Column("seq", INTEGER, primary_key=True))
    for name, written in TABLES.items():
        key = Column("seq", INTEGER, ForeignKey("entry.seq"), primary_key=True)
        made = Table(name, metadata, key, *(column(one) for one in written.split()))
        metadata.create_all(connection, tables=[made])
        guard(connection, made)
