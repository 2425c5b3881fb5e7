"""What the database says becomes one clear sentence; reading never writes."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path, PosixPath

import pytest
from sqlalchemy import Engine, text

from ledger import sqlite
from ledger.errors import LedgerError
from ledger.store import Ledger
from ledger.verify import verify
from tests.ledger.foreign import foreign, only_read

COUNT = text("SELECT COUNT(*) FROM entry")


def test_settings_of_a_writing_connection(full: Path) -> None:
    with sqlite.open_engine(full, create=False).connect() as connection:
        asked = ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        found = [connection.execute(text(f"PRAGMA {name}")).scalar() for name in asked]
    assert found == ["wal", 2, 1, 30000]


def test_a_read_only_engine_cannot_write(full: Path) -> None:
    with (
        pytest.raises(LedgerError, match=r"cannot be written; make the file and its folder writable \(attempt"),
        sqlite.said_plainly(full),
        sqlite.writing(sqlite.open_read_only(full)) as connection,
    ):
        connection.execute(text("CREATE TABLE x (y)"))


def test_what_its_owner_writes_while_it_is_read_without_a_lock_makes_that_no_answer(pristine: Path) -> None:
    with foreign(pristine) as path:
        engine = sqlite.open_read_only(path)
        with only_read(path):
            reader = engine.connect()
            assert reader.execute(COUNT).scalar() == 20
        with Ledger.open(path, actor="its owner") as ledger:
            ledger.append(ledger.find("18").payload)
        with pytest.raises(LedgerError, match=r"was written by its owner .* read it again"), sqlite.said_plainly(path):
            reader.close()
        with only_read(path), engine.connect() as again:
            assert again.execute(COUNT).scalar() == 21


class _ClosedMeanwhile(PosixPath):
    """A file whose log was there a moment ago: somebody else, the last to have it open, closed it."""

    def exists(self) -> bool:
        return self.name.endswith("-wal") or super().exists()


class _Unlooked(PosixPath):
    """A file beside which nobody may look."""

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        if self.name.endswith("-wal"):
            raise AssertionError(f"{self} was looked at")
        return super().stat(follow_symlinks=follow_symlinks)


def test_a_log_that_goes_while_it_is_looked_at_was_empty(pristine: Path, full: Path) -> None:
    with foreign(pristine) as path, only_read(path):
        assert read_count(sqlite.open_read_only(_ClosedMeanwhile(path))) == 20
    found = read_count(sqlite.open_engine(_Unlooked(full), create=False))
    assert found == 20, "where it can be written, its log is left to SQLite"


def read_count(engine: Engine) -> int:
    """Entries that are read."""
    with engine.connect() as connection:
        return int(connection.execute(COUNT).scalar_one())


def test_entries_that_only_a_log_holds_are_not_left_out(full: Path) -> None:
    """The log comes without its list, which cannot be made in a folder that may not be written."""
    with closing(sqlite3.connect(full)) as plain, Ledger.open(full, actor="test") as ledger:
        plain.execute("SELECT * FROM blob").fetchone()
        ledger.append(ledger.find("18").payload)
        with foreign(full) as path, only_read(path):
            for use in (lambda: Ledger.open(path, actor="test"), lambda: verify(path)):
                with pytest.raises(LedgerError, match=r"copy records\.db and records\.db-wal together into"):
                    use()


def test_a_write_transaction_holds_the_lock_from_its_first_moment(full: Path) -> None:
    with (
        sqlite.writing(sqlite.open_engine(full, create=False)),
        closing(sqlite3.connect(full, timeout=0, isolation_level=None)) as plain,
        pytest.raises(sqlite3.OperationalError, match="locked"),
    ):
        plain.execute("BEGIN IMMEDIATE")


def test_a_failed_transaction_leaves_nothing(full: Path) -> None:
    engine = sqlite.open_engine(full, create=False)
    with pytest.raises(ZeroDivisionError), sqlite.writing(engine) as connection:
        connection.execute(text("INSERT INTO blob VALUES ('x', 1, 1)"))
        raise ZeroDivisionError
    with engine.connect() as connection:
        assert connection.execute(text("SELECT COUNT(*) FROM blob WHERE sha256 = 'x'")).scalar() == 0


@pytest.mark.parametrize("error", [OSError(5, "Input/output error"), sqlite3.OperationalError("disk I/O error")])
def test_disk_errors_are_said_plainly(full: Path, error: Exception) -> None:
    with (
        pytest.raises(LedgerError, match=r"records\.db cannot be used: .*(I/O|Input/output) error"),
        sqlite.said_plainly(full),
    ):
        raise error
