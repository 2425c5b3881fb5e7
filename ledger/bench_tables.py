"""Typed projections of what the bench writes: a row for each entry, a row for each item of its lists.

A column holds the payload field of the same name and is described there; `x_sha256` is the hash of blob `x`, and
`interval_low_pct` is field `low_pct` of part `interval`. Rows are filled by `projections.py` alone.
"""

from sqlalchemy import BigInteger
from sqlmodel import Field

from ledger.tables import Item, Projection


class TargetStateRow(Projection, table=True):
    __tablename__ = "target_state"
    target: str = Field(index=True)
    state: str
    by: str
    run: str | None
    pid: int | None
    start_time: int | None = Field(sa_type=BigInteger)
    url: str | None
    evidence: str


class ArmRow(Projection, table=True):
    __tablename__ = "arm"
    fingerprint: str = Field(index=True)
    name: str
    target: str
    proposal: str | None


class ArmOriginRow(Item, table=True):
    __tablename__ = "arm_origin"
    origin: str


class ArmSettingRow(Item, table=True):
    __tablename__ = "arm_setting"
    name: str = Field(index=True)
    value: str


class MeasuringRunRow(Projection, table=True):
    __tablename__ = "measuring_run"
    run: str = Field(index=True)
    target: str = Field(index=True)
    target_sha256: str
    proposal: str | None
    tree: str | None = Field(index=True)
    seed: int = Field(sa_type=BigInteger)
    blocks: int
    downtime_s: float
    harness_version: str = Field(index=True)


class SlotRow(Item, table=True):
    __tablename__ = "slot"
    block: int
    position: int
    role: str
    arm: str | None


class LaunchRow(Projection, table=True):
    __tablename__ = "launch"
    launch: str = Field(index=True)
    run: str = Field(index=True)
    target: str
    block: int
    attempt: int
    position: int
    role: str
    arm: str | None
    pid: int | None
    start_time: int | None = Field(sa_type=BigInteger)
    ready_s: float | None
    log_sha256: str | None
    outcome: str
    reason: str | None
    detail: str


class GateRow(Projection, table=True):
    __tablename__ = "gate"
    launch: str = Field(index=True)
    run: str = Field(index=True)
    gate: str
    passed: bool
    reason: str | None
    evidence: str


class TrialRow(Projection, table=True):
    __tablename__ = "trial"
    launch: str = Field(index=True)
    run: str = Field(index=True)
    protocol: str
    reason: str | None
    detail: str
    requests_sha256: str | None


class TrialMetricRow(Item, table=True):
    __tablename__ = "trial_metric"
    metric: str
    load: int
    value: float
    samples: int


class VerdictRow(Projection, table=True):
    __tablename__ = "verdict"
    run: str = Field(index=True)
    target: str = Field(index=True)
    arm: str = Field(index=True)
    arm_name: str
    metric: str
    load: int
    primary: bool
    validity: str
    speed: str | None
    numerics: str
    interval_estimate_pct: float | None
    interval_low_pct: float | None
    interval_high_pct: float | None
    interval_level: float | None
    interval_launch_sd_pct: float | None
    smallest_effect_pct: float
    blocks: int
    placebo_low_pct: float | None
    placebo_high_pct: float | None
    visible_effect_pct: float | None
    more_blocks: int | None


class VerdictTrialRow(Item, table=True):
    __tablename__ = "verdict_trial"
    trial: str = Field(index=True)


class RunEndRow(Projection, table=True):
    __tablename__ = "run_end"
    run: str = Field(index=True)
    outcome: str
    reason: str | None
    detail: str
    downtime_s: float
