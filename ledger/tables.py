"""The SQLModel tables that hold the truth, entries and blobs, and what every projection row shares.

The tables are made by `ledger/migrations`, never from these classes; a test holds the two together.
"""

from sqlalchemy import BigInteger, LargeBinary
from sqlmodel import Field, SQLModel


class EntryRow(SQLModel, table=True):
    """One entry: the header's columns, and the payload as canonical bytes."""

    __tablename__ = "entry"

    seq: int = Field(primary_key=True, description="1, 2, 3 ... without gaps")
    id: str = Field(unique=True, description="hash of the canonical header, 64 hexadecimal digits")
    time: str = Field(description="UTC with microseconds, ending in Z")
    actor: str = Field(description="which program or person wrote it")
    kind: str = Field(index=True, description="which payload schema")
    version: int = Field(description="which version of that schema")
    payload: bytes | None = Field(sa_type=LargeBinary, description="canonical JSON; null only when withheld")
    payload_sha256: str = Field(description="hash of the payload's canonical bytes")
    previous: str = Field(description="id of the entry before, 64 zeros for the first")


class BlobRow(SQLModel, table=True):
    """One content-addressed blob."""

    __tablename__ = "blob"

    sha256: str = Field(primary_key=True, description="hash of the whole uncompressed content")
    size: int = Field(sa_type=BigInteger, description="uncompressed size in bytes")
    chunks: int = Field(description="number of its chunks")


class BlobChunkRow(SQLModel, table=True):
    """One piece of a blob, compressed by itself with zlib."""

    __tablename__ = "blob_chunk"

    sha256: str = Field(primary_key=True, foreign_key="blob.sha256", description="the blob it belongs to")
    item: int = Field(primary_key=True, description="place inside the blob, from 0")
    content: bytes = Field(sa_type=LargeBinary, description="the compressed piece")


class MigrationRow(SQLModel, table=True):
    """A migration that was applied to this file."""

    __tablename__ = "migration"

    number: int = Field(primary_key=True, description="the migration's number")
    name: str = Field(description="its module's name")
    time: str = Field(description="when it was applied, UTC")


class Projection(SQLModel):
    """A row that belongs to one entry."""

    seq: int = Field(primary_key=True, foreign_key="entry.seq", description="the entry it is computed from")


class Item(Projection):
    """A row for one item of a list in a payload."""

    item: int = Field(primary_key=True, description="place in the list, from 0")


class BlobUseRow(Item, table=True):
    __tablename__ = "blob_use"
    sha256: str = Field(foreign_key="blob.sha256", index=True, description="a blob that the payload refers to")


class BatchRow(Projection, table=True):
    """The root over one full batch of entries, kept so that a root over all of them costs little."""

    __tablename__ = "batch"

    root: str = Field(description="RFC 6962 root over the ids of the 256 entries that end with `seq`")
