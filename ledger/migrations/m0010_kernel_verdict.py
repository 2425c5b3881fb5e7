"""Migration 10: verdicts of the kernel bench. Never edited."""

from sqlalchemy import Column, Connection, ForeignKey, MetaData, Table

from ledger.migrations.building import INTEGER, column, guard

KERNEL_VERDICT = (
    "run! task! task_sha256 device arm_name! family baseline shape mode validity reason speed? time_us:float? "
    "estimate_pct:float? low_pct:float? high_pct:float? smallest_effect_pct:float blocks:int more_blocks:int? "
    "report_sha256"
)


def upgrade(connection: Connection) -> None:
    """Make the table."""
    metadata = MetaData()
    Table("entry", metadata, Column("seq", INTEGER, primary_key=True))
    key = Column("seq", INTEGER, ForeignKey("entry.seq"), primary_key=True)
    made = Table("kernel_verdict", metadata, key, *(column(one) for one in KERNEL_VERDICT.split()))
    metadata.create_all(connection, tables=[made])
    guard(connection, made)
