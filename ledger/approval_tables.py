"""Typed projection of withdrawn approvals. Columns are described at the payload's fields."""

from sqlmodel import Field

from ledger.tables import Projection


class WithdrawalRow(Projection, table=True):
    __tablename__ = "withdrawal"
    approval: str = Field(index=True)
    fingerprint: str = Field(index=True)
    arm_name: str
    proposal: str | None = Field(index=True)
    reason: str
    person: str
