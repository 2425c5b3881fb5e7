"""What is asked of a host, asked directly: parts of files, the record, and whether a guardian serves."""

import base64
import hashlib
import os
from pathlib import Path

import pytest

from harness import procfs
from harness.hosts.connection import GuardianError
from harness.hosts.sight import (
    PLAIN_SOCKET_BYTES,
    forget_lease,
    leased,
    production,
    put_end,
    put_part,
    read,
    serves,
    socket_path,
    stat,
)
from tests.harness.test_lease import leased_elsewhere


def part(content: bytes) -> str:
    return base64.b64encode(content).decode()


def test_a_file_that_did_not_arrive_whole_gets_no_name(tmp_path: Path) -> None:
    path = tmp_path / "kept.bin"
    path.write_bytes(b"before")
    put_part(tmp_path, str(path), 0, part(b"half"))
    with pytest.raises(ValueError, match=r"kept\.bin' did not arrive whole; put it again"):
        put_end(tmp_path, str(path), hashlib.sha256(b"half and half").hexdigest(), 0o600)
    assert [(found.name, found.read_bytes()) for found in tmp_path.iterdir()] == [("kept.bin", b"before")]


def test_a_file_arrives_in_parts_and_an_earlier_attempt_is_forgotten(tmp_path: Path) -> None:
    path = tmp_path / "new" / "kept.bin"
    put_part(tmp_path, str(path), 0, part(b"an earlier and longer one"))
    put_part(tmp_path, str(path), 0, part(b"one "))
    put_part(tmp_path, str(path), 4, part(b"two"))
    put_end(tmp_path, str(path), hashlib.sha256(b"one two").hexdigest(), 0o750)
    assert stat(tmp_path, str(path)) == {"bytes": 7, "mode": 0o750, "sha256": hashlib.sha256(b"one two").hexdigest()}
    assert read(tmp_path, str(path), 4, 2) == part(b"tw")


def test_a_lease_of_another_host_is_said_and_forgotten(tmp_path: Path) -> None:
    leased_elsewhere(tmp_path, "deploy")
    assert "can only be seen on 'elsewhere.invalid'" in (leased(tmp_path, "deploy") or "")
    assert leased(tmp_path, "run-1") is None
    forget_lease(tmp_path)
    assert leased(tmp_path, "deploy") is None


def test_what_is_not_there_is_none(tmp_path: Path) -> None:
    assert read(tmp_path, str(tmp_path / "no")) is None
    assert stat(tmp_path, str(tmp_path / "no" / "no")) is None
    assert production(tmp_path) is None
    assert serves(tmp_path) is False


@pytest.mark.parametrize(
    "content",
    [b"{half", b"[]", b"{}", b'{"held": null}', b'{"held": {"pid": 1}}', b'\xff{"env": [["TOKEN", "s3cret-of-hers"]]}'],
)
def test_a_damaged_record_is_the_guardians_own_sentence_and_shows_nothing_of_it(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "production.json").write_bytes(content)
    with pytest.raises(
        GuardianError, match=r"^production\.json in '.*' cannot be used \(.+; correct it or remove it$"
    ) as said:
        production(tmp_path)
    assert "s3cret-of-hers" not in str(said.value)


def test_a_socket_with_a_long_path_is_reached_through_its_guardian(tmp_path: Path) -> None:
    short = Path("/s")
    assert socket_path(short) == "/s/guardian.sock"
    deep = tmp_path / ("x" * PLAIN_SOCKET_BYTES)
    deep.mkdir()
    me = {"pid": os.getpid(), "start_time": procfs.start_time(os.getpid())}
    procfs.write_atomically(deep / "guardian.json", me)
    assert socket_path(deep) == f"/proc/{os.getpid()}/cwd/guardian.sock"
    assert serves(deep) is True
    procfs.write_atomically(deep / "guardian.json", me | {"start_time": 1})
    assert serves(deep) is False
