"""Typed projections of what was imported. Columns are described at the payloads' fields."""

from sqlmodel import Field

from ledger.tables import Item, Projection


class ImportedPageRow(Projection, table=True):
    __tablename__ = "imported_page"
    title: str
    language: str
    source_sha256: str = Field(index=True)
    person: str


class ImportedPieceRow(Item, table=True):
    __tablename__ = "imported_piece"
    form: str
    text: str
    under: str
    date: str | None
    about: bool


class ReferenceRow(Projection, table=True):
    __tablename__ = "reference"
    target: str = Field(index=True)
    engine: str
    build: str
    model: str
    source_sha256: str = Field(index=True)
    person: str


class ReferenceResultRow(Item, table=True):
    __tablename__ = "reference_result"
    test: str
    tok_s: float
    sd_tok_s: float | None
    samples: int
