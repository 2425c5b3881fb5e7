"""The head file is replaced as a whole and read with care."""

import os
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


NO_HEADS = (
    "",
    "[]",
    "null",
    "{}",
    "[" * 4000,
    '{"seq": ' + "9" * 4000 + ', "id": "' + "a" * 64 + '"}',
    f'{{"seq": 1, "id": "{"a" * 64}"}}' + " " * 5000,
    *(
        f'{{"seq": {seq}, "id": "{entry_id}"}}'
        for seq, entry_id in (
            ("true", GENESIS),
            ("-1", GENESIS),
            ("9" * 40, "a" * 64),
            (str(2**63), "a" * 64),
            ("0", "f" * 64),
            ("3", GENESIS),
            ("3", "g" * 64),
            ("3", "A" * 64),
            ("3", "a" * 63),
        )
    ),
)


@pytest.mark.parametrize("text", NO_HEADS, ids=range(len(NO_HEADS)))
def test_what_names_no_entry_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "records.db"
    head_path(path).write_text(text)
    with pytest.raises(LedgerError, match=r"head file .*records.db.head (cannot be read|names no entry); bring it"):
        read_head(path)


def test_the_largest_sequence_can_be_named(tmp_path: Path) -> None:
    path = tmp_path / "records.db"
    write_head(path, Head(2**63 - 1, "a" * 64), TIME)
    assert read_head(path) == Head(2**63 - 1, "a" * 64)


def test_a_pipe_in_its_place_is_refused_at_once(tmp_path: Path) -> None:
    path = tmp_path / "records.db"
    os.mkfifo(head_path(path))
    with pytest.raises(LedgerError, match="cannot be read"):
        read_head(path)


def test_a_folder_in_its_place_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "records.db"
    head_path(path).mkdir()
    with pytest.raises(LedgerError, match="cannot be read"):
        read_head(path)
