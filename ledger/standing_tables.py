"""Typed projections of what persons say of earlier entries. Columns are described at the payloads' fields."""

from sqlmodel import Field

from ledger.tables import Projection


class InvalidationRow(Projection, table=True):
    __tablename__ = "invalidation"
    subject: str | None = Field(index=True)
    fact: str | None = Field(index=True)
    reason: str
    person: str


class SupersessionRow(Projection, table=True):
    __tablename__ = "supersession"
    subject: str = Field(index=True)
    by: str | None
    reason: str
    person: str
