"""Migration 6: the machines that launches ran on, and a view of what was measured on them. Never edited."""

from sqlalchemy import Column, Connection, ForeignKey, MetaData, Table

from ledger.migrations.building import INTEGER, column, guard

MACHINE = "run! target! launch host kernel cpu cores:int driver?! engine?"
CARD = "number:int name?! uuid?! memory_mib:int?"
VIEW = """
    SELECT m.driver, m.engine, m.host, m.kernel, m.cpu, v.target, v.arm_name, v.metric, v.load, v.validity, v.speed,
           v.numerics, v.interval_estimate_pct, v.run, v.seq, e.time
    FROM machine m JOIN verdict v ON v.run = m.run JOIN entry e ON e.seq = v.seq
"""


def upgrade(connection: Connection) -> None:
    """Make the tables and the view."""
    metadata = MetaData()
    Table("entry", metadata, Column("seq", INTEGER, primary_key=True))
    made = []
    for name, columns in (("machine", MACHINE), ("machine_card", CARD)):
        key = [Column("seq", INTEGER, ForeignKey("entry.seq"), primary_key=True)]
        if name == "machine_card":
            key.append(Column("item", INTEGER, primary_key=True))
        made.append(Table(name, metadata, *key, *(column(one) for one in columns.split())))
    metadata.create_all(connection, tables=made)
    for table in made:
        guard(connection, table)
    connection.exec_driver_sql(f"CREATE VIEW machine_verdict AS {' '.join(VIEW.split())}")
