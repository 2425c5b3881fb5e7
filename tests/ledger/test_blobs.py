"""Blobs come back as they went in, in bounded pieces."""

import io
import sqlite3
import zlib
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger.blobs import CHUNK_BYTES, prepare
from ledger.canonical import sha256_hex
from ledger.errors import LedgerError
from ledger.store import Ledger
from tests.ledger.tampering import unguarded


class Dripping(io.RawIOBase):
    """A stream that cannot be wound back and gives less than it is asked for."""

    def __init__(self, content: bytes) -> None:
        self._rest = content

    def read(self, size: int = -1) -> bytes:
        """At most 70,000 bytes."""
        piece, self._rest = self._rest[: min(size, 70_000)], self._rest[min(size, 70_000) :]
        return piece


@given(st.binary(max_size=4000))
@settings(max_examples=50)
def test_prepared_chunks_give_the_content(content: bytes) -> None:
    prepared = prepare(content)
    with prepared.compressed:
        assert b"".join(zlib.decompress(piece) for piece in prepared.chunks()) == content
    assert (prepared.sha256, prepared.size) == (sha256_hex(content), len(content))


@pytest.mark.parametrize("size", [0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, 3 * CHUNK_BYTES])
def test_blobs_come_back(tmp_path: Path, size: int) -> None:
    content = bytes(number * 7 % 251 for number in range(1000)) * (size // 1000 + 1)
    content = content[:size]
    with Ledger.open(tmp_path / "records.db", actor="test", create=True) as ledger:
        ref = ledger.put_blob(content, "text/plain")
        assert (ref.sha256, ref.size, ref.media_type) == (sha256_hex(content), size, "text/plain")
        assert ledger.read_blob(ref.sha256) == content


def test_a_stream_and_the_same_bytes_are_one_blob(tmp_path: Path) -> None:
    content = bytes(300_000) + b"end"
    path = tmp_path / "records.db"
    with Ledger.open(path, actor="test", create=True) as ledger:
        first = ledger.put_blob(Dripping(content), "text/plain")  # type: ignore[arg-type]
        assert ledger.put_blob(content, "text/plain") == first
        assert ledger.read_blob(first.sha256) == content
    with closing(sqlite3.connect(path)) as plain:
        assert plain.execute("SELECT COUNT(*), MAX(size) FROM blob").fetchone() == (1, len(content))
        assert plain.execute("SELECT SUM(LENGTH(content)) FROM blob_chunk").fetchone()[0] < 2000


def test_the_cap_is_refused_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ledger.blobs.MAX_BLOB_BYTES", 3 << 20)
    with Ledger.open(tmp_path / "records.db", actor="test", create=True) as ledger:
        with pytest.raises(LedgerError, match="blob is larger than 3 MiB; keep it as a file"):
            ledger.put_blob(bytes((3 << 20) + 1), "text/plain")
        assert ledger.put_blob(bytes(3 << 20), "text/plain").size == 3 << 20


def test_an_unknown_blob(tmp_path: Path) -> None:
    with (
        Ledger.open(tmp_path / "records.db", actor="test", create=True) as ledger,
        pytest.raises(LedgerError, match="blob ffffffffffff is not in the ledger"),
    ):
        ledger.read_blob("f" * 64)


def test_a_chunk_that_expands_without_end_is_refused(full: Path) -> None:
    bomb = zlib.compress(bytes(CHUNK_BYTES + 1))
    with unguarded(full) as plain:
        (sha256,) = plain.execute("SELECT sha256 FROM blob WHERE chunks = 1").fetchone()
        plain.execute("UPDATE blob_chunk SET content = ? WHERE sha256 = ?", (bomb, sha256))
    with Ledger.open(full, actor="test") as ledger, pytest.raises(LedgerError, match="not one whole compressed piece"):
        ledger.read_blob(sha256)


def test_a_damaged_blob_is_not_given_out(full: Path) -> None:
    with unguarded(full) as plain:
        (sha256,) = plain.execute("SELECT sha256 FROM blob WHERE chunks = 1").fetchone()
        plain.execute("UPDATE blob_chunk SET content = ? WHERE sha256 = ?", (zlib.compress(b"other"), sha256))
    with Ledger.open(full, actor="test") as ledger, pytest.raises(LedgerError, match="its name promises"):
        ledger.read_blob(sha256)
