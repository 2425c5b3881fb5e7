"""Projections can be refilled; entries that are not whole are left for a person to look at."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ledger.errors import LedgerError
from ledger.rebuild import rebuild
from ledger.verify import verify
from tests.ledger.tampering import tamper


def dump(path: Path) -> list[str]:
    """Everything in the database as SQL, in no order."""
    with closing(sqlite3.connect(path)) as plain:
        return sorted(plain.iterdump())


def test_a_whole_ledger_stays_as_it_is(full: Path) -> None:
    before = dump(full)
    assert rebuild(full, actor="test") == 20
    assert dump(full) == before


def test_damaged_projections_and_triggers_come_back(full: Path) -> None:
    before = dump(full)
    tamper(
        full,
        "UPDATE verdict SET speed = 'SLOWER'",
        "DELETE FROM slot",
        "INSERT INTO parked VALUES (3, 'x', NULL, 'x', 'x')",
    )
    with closing(sqlite3.connect(full)) as plain:
        plain.execute("DROP TRIGGER entry_no_delete")
        plain.execute("DROP TRIGGER verdict_no_update")
    assert not verify(full).ok
    assert rebuild(full, actor="test") == 20
    assert verify(full).ok
    assert dump(full) == before


def test_a_changed_trigger_is_replaced(full: Path) -> None:
    with closing(sqlite3.connect(full)) as plain:
        plain.execute("DROP TRIGGER arm_no_update")
        plain.execute("CREATE TRIGGER arm_no_update BEFORE UPDATE ON arm BEGIN SELECT 1; END")
    rebuild(full, actor="test")
    assert verify(full).ok


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE entry SET actor = 'x' WHERE seq = 4",
        "DELETE FROM entry WHERE seq = 4",
        "DELETE FROM entry WHERE seq = 20",
    ],
)
def test_entries_that_are_not_whole_are_not_projected_anew(full: Path, change: str) -> None:
    tamper(full, change)
    before = dump(full)
    with pytest.raises(LedgerError, match="cannot be rebuilt, because its entries are not whole: "):
        rebuild(full, actor="test")
    assert dump(full) == before
