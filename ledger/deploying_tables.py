"""Typed projections of tickets, deployments, watches and rollbacks. Columns are described at the payloads' fields."""

from sqlmodel import Field

from ledger.tables import Item, Projection


class TicketRow(Projection, table=True):
    __tablename__ = "ticket"
    acceptance: str = Field(index=True)
    target: str
    sha256: str


class TicketPartRow(Item, table=True):
    __tablename__ = "ticket_part"
    name: str
    value: str


class DeploymentRow(Projection, table=True):
    __tablename__ = "deployment"
    deployment: str = Field(index=True)
    target: str = Field(index=True)
    acceptance: str | None
    ticket: str | None
    outcome: str
    detail: str
    away_s: float | None
    person: str


class WatchRow(Projection, table=True):
    __tablename__ = "watch"
    acceptance: str = Field(index=True)
    target: str = Field(index=True)
    arm: str
    arm_name: str
    run: str = Field(index=True)
    verdict: str
    metric: str
    load: int
    outcome: str
    detail: str


class RollbackRow(Projection, table=True):
    __tablename__ = "rollback"
    target: str = Field(index=True)
    leaves: str
    back_to: str | None
    reason: str
    person: str
