"""Large things: streamed in, cut into chunks compressed one by one, named by the hash of the whole content."""

import hashlib
import io
import tempfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO

from sqlalchemy import Connection, select

from ledger.entries import BlobRef
from ledger.errors import LedgerError
from ledger.projections import table_of
from ledger.tables import BlobChunkRow, BlobRow
from ledger.tombstones import blob_withheld_by

CHUNK_BYTES = 1 << 20  # uncompressed; small enough to hold in memory, large enough to compress well
MAX_BLOB_BYTES = 256 << 20  # a server's log of a long soak fits; a model file does not belong here
NAMES_A_QUERY = 500  # below what any of the databases takes as values of one statement
SPOOL_BYTES = 8 << 20  # compressed content beyond this waits in a temporary file

BLOB, CHUNK = table_of(BlobRow), table_of(BlobChunkRow)


class DamagedBlobError(LedgerError):
    """A blob's chunks do not give the content that its name promises."""


class MissingBlobError(LedgerError):
    """A blob, or one of its chunks, is not there."""


class WithheldBlobError(LedgerError):
    """A blob's content is not here any more, because a tombstone withholds it."""


@dataclass
class Prepared:
    """A blob read and compressed, not stored yet."""

    sha256: str
    size: int
    chunk_sizes: tuple[int, ...]
    compressed: BinaryIO

    def chunks(self) -> Iterator[bytes]:
        """The compressed chunks in order."""
        self.compressed.seek(0)
        for size in self.chunk_sizes:
            yield self.compressed.read(size)


def prepare(content: bytes | BinaryIO) -> Prepared:
    """Read, hash and compress, holding a chunk and the spool in memory. Raises LedgerError above the cap."""
    stream = io.BytesIO(content) if isinstance(content, bytes) else content
    spool = tempfile.SpooledTemporaryFile(max_size=SPOOL_BYTES)  # noqa: SIM115 - closed by whoever stores the blob
    hashed, size, chunk_sizes = hashlib.sha256(), 0, []
    try:
        while piece := stream.read(CHUNK_BYTES):
            hashed.update(piece)
            size += len(piece)
            if size > MAX_BLOB_BYTES:
                raise LedgerError(
                    f"blob is larger than {MAX_BLOB_BYTES >> 20} MiB; keep it as a file and record its hash"
                )
            chunk_sizes.append(spool.write(zlib.compress(piece)))
    except BaseException:
        spool.close()
        raise
    return Prepared(hashed.hexdigest(), size, tuple(chunk_sizes), spool)  # type: ignore[arg-type]


def store(connection: Connection, blob: Prepared) -> None:
    """Insert a prepared blob; nothing happens when the same content is there already.

    Raises WithheldBlobError for content that a tombstone withholds: what leaked once is not stored again by chance.
    """
    if size_of(connection, blob.sha256) is not None:
        refuse_withheld(connection, blob.sha256)
        return
    connection.execute(BLOB.insert().values(sha256=blob.sha256, size=blob.size, chunks=len(blob.chunk_sizes)))
    for item, piece in enumerate(blob.chunks()):
        connection.execute(CHUNK.insert().values(sha256=blob.sha256, item=item, content=piece))


def store_all(connection: Connection, prepared: Sequence[Prepared]) -> None:
    """As `store` for each, in a few statements where blobs are small. Raises WithheldBlobError."""
    there = _sizes(connection, [blob.sha256 for blob in prepared])
    small: dict[str, Prepared] = {}
    for blob in prepared:
        if blob.sha256 in there or len(blob.chunk_sizes) > 1:
            store(connection, blob)
        else:
            small[blob.sha256] = blob
    if small:
        rows = [{"sha256": name, "size": blob.size, "chunks": len(blob.chunk_sizes)} for name, blob in small.items()]
        connection.execute(BLOB.insert(), rows)
    pieces_of = [(name, piece) for name, blob in small.items() for piece in blob.chunks()]
    if pieces_of:
        rows = [{"sha256": name, "item": 0, "content": piece} for name, piece in pieces_of]
        connection.execute(CHUNK.insert(), rows)


def _sizes(connection: Connection, names: Iterable[str]) -> dict[str, int]:
    """Uncompressed sizes of those that are stored."""
    wanted, found = sorted(set(names)), dict[str, int]()
    for first in range(0, len(wanted), NAMES_A_QUERY):
        some = wanted[first : first + NAMES_A_QUERY]
        rows = connection.execute(select(BLOB.c.sha256, BLOB.c.size).where(BLOB.c.sha256.in_(some)))
        found.update({row.sha256: row.size for row in rows})
    return found


def size_of(connection: Connection, sha256: str) -> int | None:
    """A stored blob's uncompressed size, none when there is no such blob."""
    found: int | None = connection.execute(select(BLOB.c.size).where(BLOB.c.sha256 == sha256)).scalar()
    return found


def check_refs(connection: Connection, refs: Sequence[BlobRef]) -> None:
    """Raise LedgerError unless each blob that a payload names is stored."""
    sizes = _sizes(connection, (ref.sha256 for ref in refs)) if refs else {}
    for ref in refs:
        size = sizes.get(ref.sha256)
        if size is None:
            raise LedgerError(f"payload names blob {ref.sha256[:12]}, which is not stored; put_blob it first")
        if size != ref.size:
            raise LedgerError(f"payload says blob {ref.sha256[:12]} has {ref.size} bytes; it has {size}")


def refuse_withheld(connection: Connection, sha256: str) -> None:
    """Raise WithheldBlobError when a tombstone withholds this blob."""
    withheld = blob_withheld_by(connection, sha256)
    if withheld:
        by = f"tombstone #{withheld.tombstone} of {withheld.person}"
        raise WithheldBlobError(f"blob {sha256[:12]} is withheld by {by}: {withheld.reason}")


def pieces(connection: Connection, sha256: str) -> Iterator[bytes]:
    """A blob's content piece by piece, checked as a whole after the last one.

    Raises MissingBlobError, DamagedBlobError or WithheldBlobError; a chunk never expands beyond CHUNK_BYTES.
    """
    short = sha256[:12]
    row = connection.execute(select(BLOB.c.size, BLOB.c.chunks).where(BLOB.c.sha256 == sha256)).one_or_none()
    if row is None:
        raise MissingBlobError(f"blob {short} is not in the ledger")
    if type(row.chunks) is not int or type(row.size) is not int:
        raise DamagedBlobError(f"blob {short} does not say how large it is")
    hashed, size = hashlib.sha256(), 0
    for item in range(row.chunks):
        wanted = (CHUNK.c.sha256 == sha256) & (CHUNK.c.item == item)
        compressed = connection.execute(select(CHUNK.c.content).where(wanted)).scalar()
        if compressed is None:
            refuse_withheld(connection, sha256)
            raise MissingBlobError(f"blob {short} lacks chunk {item} of {row.chunks}")
        piece = _expand(compressed, f"blob {short}, chunk {item}")
        hashed.update(piece)
        size += len(piece)
        yield piece
    if hashed.hexdigest() != sha256 or size != row.size:
        raise DamagedBlobError(f"blob {short} does not have the content that its name promises")


def _expand(compressed: object, where: str) -> bytes:
    engine = zlib.decompressobj()
    try:
        piece = engine.decompress(compressed, CHUNK_BYTES) if isinstance(compressed, bytes) else b""
    except zlib.error as error:
        raise DamagedBlobError(f"{where} cannot be uncompressed ({error})") from error
    if not engine.eof or engine.unused_data:
        raise DamagedBlobError(f"{where} is not one whole compressed piece")
    return piece
