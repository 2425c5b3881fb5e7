"""What somebody named is read when it is a regular file, and refused at once when it is not."""

import os
from pathlib import Path

import pytest

from ledger.regular_file import read_regular


def test_a_file_is_read_and_one_byte_more_than_wanted(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"one\r\ntwo")
    assert read_regular(path, 8) == b"one\r\ntwo"
    assert read_regular(path, 3) == b"one\r"


def test_a_pipe_and_a_device_are_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("/dev/zero")
    for name in ("pipe", "link"):
        with pytest.raises(OSError, match="it is no regular file"):
            read_regular(tmp_path / name, 8)


def test_a_folder_and_nothing_are_refused(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        read_regular(tmp_path, 8)
    with pytest.raises(FileNotFoundError):
        read_regular(tmp_path / "none", 8)
