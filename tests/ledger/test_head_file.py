"""The head file is replaced as a whole and read with care."""

from pathlib import Path

import pytest

from ledger.chain import GENESIS, Head
from ledger.errors import LedgerError
from ledger.head_file import head_path, read_head, write_head

TIME = "2026-11-29T14:20:30.123456Z"


def test_written_and_read(tmp_path: Path) -> None:
    path = tmp_path / "records.db"
    assert read_head(path) is None
    write_head(path, Head(3, "a" * 64), TIME)
    write_head(path, Head(4, "b" * 64), TIME)
    assert read_head(path) == Head(4, "b" * 64)
    assert head_path(path).read_text() == f'{{"id": "{"b" * 64}", "seq": 4, "time": "{TIME}"}}\n'
    assert [one.name for one in tmp_path.iterdir()] == ["records.db.head"]


@pytest.mark.parametrize(
    "text", ["", "[]", "null", "{}", '{"seq": true, "id": "' + GENESIS + '"}', '{"seq": -1, "id": "' + GENESIS + '"}']
)
def test_what_names_no_entry_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "records.db"
    head_path(path).write_text(text)
    with pytest.raises(LedgerError, match=r"head file .*records.db.head (cannot be read|names no entry); bring it"):
        read_head(path)


def test_a_folder_in_its_place_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "records.db"
    head_path(path).mkdir()
    with pytest.raises(LedgerError, match="cannot be read"):
        read_head(path)
