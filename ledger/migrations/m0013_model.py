"""Migration 13: the model files that launches ran with, and a view of what was measured with them. Never edited."""

from sqlalchemy import Column, Connection, ForeignKey, MetaData, Table

from ledger.migrations.building import INTEGER, column, guard

MODEL = "run! target! launch arm?"
FILE = "path! name! bytes:big written stamp sample_sha256! sha256?!"
VIEW = """
    SELECT DISTINCT f.path, f.name, f.bytes, f.sample_sha256, f.sha256, v.target, v.arm_name, v.metric, v.load,
           v.validity, v.speed, v.numerics, v.interval_estimate_pct, v.run, v.seq, e.time
    FROM model_file f JOIN model m ON m.seq = f.seq
    JOIN verdict v ON v.run = m.run AND (m.arm IS NULL OR m.arm = v.arm) JOIN entry e ON e.seq = v.seq
"""


def upgrade(connection: Connection) -> None:
    """Make the tables and the view."""
    metadata = MetaData()
    Table("entry", metadata, Column("seq", INTEGER, primary_key=True))
    made = []
    for name, columns in (("model", MODEL), ("model_file", FILE)):
        key = [Column("seq", INTEGER, ForeignKey("entry.seq"), primary_key=True)]
        if name == "model_file":
            key.append(Column("item", INTEGER, primary_key=True))
        made.append(Table(name, metadata, *key, *(column(one) for one in columns.split())))
    metadata.create_all(connection, tables=made)
    for table in made:
        guard(connection, table)
    connection.exec_driver_sql(f"CREATE VIEW model_verdict AS {' '.join(VIEW.split())}")
