"""The quick proof shows a whole ledger whole, in one process or several, and shows nothing for any damage."""

# ruff: noqa: S608 - statements are made of names that stand in this file

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ledger import entries as e
from ledger import sqlite
from ledger.chain import Head
from ledger.checks.part import main
from ledger.checks.stretch import PAGE_ENTRIES, prove_stretch
from ledger.checks.whole import _stretches, prove_whole
from ledger.findings import Verification
from ledger.head_file import read_head
from ledger.sqlite_file import SqliteFile
from ledger.store import Ledger
from ledger.tree import BATCH_ENTRIES
from ledger.verify import verify
from tests.ledger.tampering import found, tamper


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ledger of two pages; no test changes it."""
    path = tmp_path_factory.mktemp("long") / "records.db"
    with Ledger.open(path, actor="test", create=True) as ledger:
        ledger.append_all([_parked(number) for number in range(PAGE_ENTRIES + 100)])
    return path


def _parked(number: int) -> e.Parked:
    return e.Parked(subject=str(number), proposal=None, reason="not understood", person="Ada")


def proved(path: Path, *heads: Head) -> Verification | None:
    """What the quick proof says."""
    with sqlite.open_read_only(path, exact=True).connect() as connection:
        return prove_whole(SqliteFile(path), connection, heads)


def test_a_whole_ledger_is_shown_whole(full: Path) -> None:
    head = read_head(full)
    assert head is not None
    assert proved(full, head) == Verification(20, 2, head, ())
    assert proved(full, Head(21, "f" * 64)) is None
    assert proved(full, Head(20, "f" * 64)) is None


@pytest.mark.system
def test_several_processes_say_what_one_says(long: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = verify(long)
    monkeypatch.setattr("ledger.checks.whole.ENTRIES_A_PROCESS", 1000)
    monkeypatch.setattr("ledger.checks.whole.os.sched_getaffinity", lambda _pid: {0, 1})
    assert verify(long) == alone
    assert (alone.ok, alone.entries) == (True, PAGE_ENTRIES + 100)


def test_a_process_of_its_own_shows_a_stretch_or_nothing(long: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(str(long), str(PAGE_ENTRIES + 1), str(PAGE_ENTRIES + 100)) == 0
    assert capsys.readouterr().out.startswith('{"last_id": "')
    assert main(str(long), str(PAGE_ENTRIES + 1), str(9 * PAGE_ENTRIES)) == 1
    with sqlite.open_read_only(long).connect() as connection:
        assert prove_stretch(connection, 5 * PAGE_ENTRIES + 1, 6 * PAGE_ENTRIES) is None


@pytest.mark.parametrize(("last", "count"), [(0, 1), (1, 1), (PAGE_ENTRIES, 1), (100_000, 2), (99_999, 3)])
def test_stretches_cover_everything_once(last: int, count: int) -> None:
    parts = _stretches(last, count)
    assert len(parts) == count
    assert [seq for low, high in parts for seq in range(low, high + 1)] == list(range(1, last + 1))
    assert all(low % PAGE_ENTRIES == 1 for low, _high in parts)


DAMAGES = (
    "UPDATE entry SET actor = 'x' WHERE seq = 9",
    "UPDATE entry SET time = '2999-01-01T00:00:00.000000Z' WHERE seq = 20",
    "UPDATE entry SET payload = NULL WHERE seq = 9",
    "UPDATE entry SET payload = CAST(replace(CAST(payload AS TEXT), '--n-para', '--n-parb') AS BLOB) WHERE seq = 13",
    "UPDATE entry SET id = upper(id) WHERE seq = 20",
    "DELETE FROM entry WHERE seq = 9",
    "DELETE FROM gate",
    "UPDATE trial_metric SET value = value + 1e-9",
    "UPDATE blob_use SET item = 7 WHERE seq = 2",
    "UPDATE blob SET size = size + 1",
    "INSERT INTO parked VALUES (0, 'x', NULL, 'x', 'x')",
    "INSERT INTO batch VALUES (12, 'x')",
    "INSERT INTO tombstone_entry VALUES (9, 0, 'x')",
    "INSERT INTO checkpoint VALUES (9, 8, 'x', 'y')",
    "INSERT INTO blob_use VALUES (2.5, 0, 'x')",
    "INSERT INTO blob_use VALUES ('x', 0, 'x')",
    "INSERT INTO blob_chunk SELECT sha256, 99, x'00' FROM blob",
    "INSERT INTO blob_chunk SELECT sha256, -1, x'00' FROM blob",
)


@pytest.mark.parametrize("damage", DAMAGES)
def test_nothing_is_shown_for_what_is_damaged(full: Path, damage: str) -> None:
    tamper(full, damage)
    assert proved(full) is None


@pytest.fixture
def batched(long: Path, tmp_path: Path) -> Path:
    """A copy of the long ledger, without its head file."""
    path = tmp_path / "records.db"
    with closing(sqlite3.connect(long)) as plain, closing(sqlite3.connect(path)) as copy:
        plain.backup(copy)
    return path


def test_a_row_between_two_pages_is_named(batched: Path) -> None:
    tamper(batched, f"INSERT INTO blob_use VALUES ({PAGE_ENTRIES}.5, 0, 'x')")
    assert proved(batched) is None
    assert ("extra_projection", f"#{PAGE_ENTRIES}.5") in [(what.value, where) for what, where in found(batched)]


def test_an_edited_root_of_a_batch_is_named(batched: Path) -> None:
    first, last = f"seq = {BATCH_ENTRIES}", f"seq = {PAGE_ENTRIES}"
    tamper(batched, f"UPDATE batch SET root = '{'0' * 64}' WHERE {first}", f"DELETE FROM batch WHERE {last}")
    assert [(what.value, where) for what, where in found(batched) if what != "missing_head"] == [
        ("edited_batch", f"batch #{BATCH_ENTRIES}"),
        ("edited_batch", f"batch #{PAGE_ENTRIES}"),
    ]
