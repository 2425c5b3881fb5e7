"""Migration 9: indexes for what rests on a revision or verdict; a setting's verdicts once each. Never edited."""

from sqlalchemy import Connection

INDEXES = (("not_applied", "run"), ("revision", "tree"), ("review_run", "tree"), ("measuring_run", "tree"))
SETTING_VERDICT = """
    SELECT s.name AS setting, s.value AS value, v.target, v.arm_name, v.metric, v.load, v.validity, v.speed,
           v.numerics, v.interval_estimate_pct, v.interval_low_pct, v.interval_high_pct, v.run, v.seq, e.time
    FROM arm_setting s JOIN arm a ON a.seq = s.seq
    JOIN verdict v ON v.arm = a.fingerprint AND v.target = a.target JOIN entry e ON e.seq = v.seq
    WHERE NOT EXISTS
        (SELECT 1 FROM arm b WHERE b.fingerprint = a.fingerprint AND b.target = a.target AND b.seq < a.seq)
"""


def upgrade(connection: Connection) -> None:
    """Make the indexes, and the view anew: an arm is on record once for every run that measured it."""
    for table, name in INDEXES:
        connection.exec_driver_sql(f"CREATE INDEX ix_{table}_{name} ON {table} ({name})")
    connection.exec_driver_sql("DROP VIEW setting_verdict")
    connection.exec_driver_sql(f"CREATE VIEW setting_verdict AS {' '.join(SETTING_VERDICT.split())}")
