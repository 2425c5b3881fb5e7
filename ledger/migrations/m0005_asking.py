"""Migration 5: an arm's settings one by one, indexes and views for the questions people ask. Never edited."""

import json

from sqlalchemy import Column, Connection, ForeignKey, LargeBinary, MetaData, Table, select

from ledger.migrations.building import INTEGER, column, guard

INDEXES = (
    ("hypothesis", "reviewer"),
    ("measuring_run", "target"),
    ("measuring_run", "harness_version"),
    ("verdict_trial", "trial"),
    ("acceptance_verdict", "verdict"),
)
VIEWS = {
    "setting_verdict": """
        SELECT s.name AS setting, s.value AS value, v.target, v.arm_name, v.metric, v.load, v.validity, v.speed,
               v.numerics, v.interval_estimate_pct, v.interval_low_pct, v.interval_high_pct, v.run, v.seq, e.time
        FROM arm_setting s JOIN arm a ON a.seq = s.seq
        JOIN verdict v ON v.arm = a.fingerprint AND v.target = a.target JOIN entry e ON e.seq = v.seq
    """,
    "production": """
        SELECT c.target, c.arm_name, c.arm, c.proposal, c.run, c.person, c.reason, c.seq, e.time
        FROM acceptance c JOIN entry e ON e.seq = c.seq
    """,
    "prediction_verdict": """
        SELECT h.reviewer, h.hypothesis, h.mechanism, h.prediction_direction, h.prediction_low_pct,
               h.prediction_high_pct, v.target, v.arm_name, v.metric, v.load, v.validity, v.speed,
               v.interval_estimate_pct, v.run, v.seq, e.time
        FROM hypothesis h JOIN verdict v
          ON v.arm = h.arm_fingerprint AND v.metric = h.prediction_metric AND v.load = h.prediction_load
        JOIN entry e ON e.seq = v.seq WHERE v.seq > h.seq
    """,
}


def upgrade(connection: Connection) -> None:
    """Make the table, fill it from the arms that are there, make indexes and views."""
    metadata = MetaData()
    entry = Table(
        "entry", metadata, Column("seq", INTEGER, primary_key=True), column("kind"), Column("payload", LargeBinary)
    )
    setting = Table(
        "arm_setting",
        metadata,
        Column("seq", INTEGER, ForeignKey("entry.seq"), primary_key=True),
        Column("item", INTEGER, primary_key=True),
        column("name!"),
        column("value"),
    )
    metadata.create_all(connection, tables=[setting])
    arms = connection.execute(select(entry.c.seq, entry.c.payload).where(entry.c.kind == "arm").order_by(entry.c.seq))
    rows = [
        {"seq": seq, "item": item, "name": name, "value": value}
        for seq, payload in arms
        if payload is not None
        for item, (name, value) in enumerate(_settings(json.loads(payload)["definition"]))
    ]
    if rows:
        connection.execute(setting.insert(), rows)
    guard(connection, setting)
    for table, name in INDEXES:
        connection.exec_driver_sql(f"CREATE INDEX ix_{table}_{name} ON {table} ({name})")
    for name, words in VIEWS.items():
        connection.exec_driver_sql(f"CREATE VIEW {name} AS {' '.join(words.split())}")


def _settings(definition: dict[str, object]) -> list[tuple[str, str]]:
    """Flags by their one spelling, variables, model and overlaid files, sorted."""
    found: list[tuple[str, str]] = []
    flags, env, overlay = definition.get("flags"), definition.get("env"), definition.get("overlay")
    if isinstance(flags, dict):
        found += [(str(name).lower().replace("_", "-"), _text(value)) for name, value in flags.items()]
    if isinstance(env, dict):
        found += [(str(name), _text(value)) for name, value in env.items()]
    if definition.get("model"):
        found.append(("model", str(definition["model"])))
    if isinstance(overlay, list):
        found += [("overlay", str(one["path"])) for one in overlay if isinstance(one, dict) and "path" in one]
    return sorted(found)


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
