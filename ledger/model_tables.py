"""Typed projections of the model files that launches ran with. Columns are described at the payloads' fields."""

from sqlalchemy import BigInteger
from sqlmodel import Field

from ledger.tables import Item, Projection


class ModelRow(Projection, table=True):
    __tablename__ = "model"
    run: str = Field(index=True)
    target: str = Field(index=True)
    launch: str
    arm: str | None


class ModelFileRow(Item, table=True):
    __tablename__ = "model_file"
    path: str = Field(index=True)
    name: str = Field(index=True)
    bytes: int = Field(sa_type=BigInteger)
    written: str
    stamp: str
    sample_sha256: str = Field(index=True)
    sha256: str | None = Field(index=True)
