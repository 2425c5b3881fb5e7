"""Typed projections of the machines that launches ran on. Columns are described at the payloads' fields."""

from sqlmodel import Field

from ledger.tables import Item, Projection


class MachineRow(Projection, table=True):
    __tablename__ = "machine"
    run: str = Field(index=True)
    target: str = Field(index=True)
    launch: str
    host: str
    kernel: str
    cpu: str
    cores: int
    driver: str | None = Field(index=True)
    engine: str | None


class MachineCardRow(Item, table=True):
    __tablename__ = "machine_card"
    number: int
    name: str | None = Field(index=True)
    uuid: str | None = Field(index=True)
    memory_mib: int | None
