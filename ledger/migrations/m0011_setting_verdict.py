"""Migration 11: a setting's verdicts by the index of their arm. Never edited."""

from sqlalchemy import Connection

# The || keeps SQLite from the index by target, behind which all verdicts of a server stand.
SETTING_VERDICT = """
    SELECT s.name AS setting, s.value AS value, v.target, v.arm_name, v.metric, v.load, v.validity, v.speed,
           v.numerics, v.interval_estimate_pct, v.interval_low_pct, v.interval_high_pct, v.run, v.seq, e.time
    FROM arm_setting s JOIN arm a ON a.seq = s.seq
    JOIN verdict v ON v.arm = a.fingerprint AND v.target || '' = a.target JOIN entry e ON e.seq = v.seq
    WHERE NOT EXISTS
        (SELECT 1 FROM arm b WHERE b.fingerprint = a.fingerprint AND b.target = a.target AND b.seq < a.seq)
"""


def upgrade(connection: Connection) -> None:
    """Make the view anew."""
    connection.exec_driver_sql("DROP VIEW setting_verdict")
    connection.exec_driver_sql(f"CREATE VIEW setting_verdict AS {' '.join(SETTING_VERDICT.split())}")
