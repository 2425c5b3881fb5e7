"""Typed projections of the kernel bench: verdicts, runs, approvals. Columns are described at the payload's fields."""

from sqlmodel import Field

from ledger.tables import Projection


class KernelVerdictRow(Projection, table=True):
    __tablename__ = "kernel_verdict"
    run: str = Field(index=True)
    task: str = Field(index=True)
    task_sha256: str
    device: str
    arm_name: str = Field(index=True)
    family: str
    baseline: str
    shape: str
    mode: str
    validity: str
    reason: str
    speed: str | None
    time_us: float | None
    estimate_pct: float | None
    low_pct: float | None
    high_pct: float | None
    smallest_effect_pct: float
    blocks: int
    more_blocks: int | None
    report_sha256: str


class KernelRunRow(Projection, table=True):
    __tablename__ = "kernel_run"
    run: str = Field(index=True)
    proposal: str = Field(index=True)
    tree: str
    review_run: str | None
    task: str = Field(index=True)
    task_sha256: str
    carried: bool
    device: str
    outcome: str
    detail: str
    compiled_sha256: str


class KernelApprovalRow(Projection, table=True):
    __tablename__ = "kernel_approval"
    proposal: str = Field(index=True)
    tree: str
    review_run: str
    hypothesis: str
    arm_name: str
    change: str
    approved: bool
    reason: str
    person: str
