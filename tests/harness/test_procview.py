"""What the kernel shows: who listens on a port, command lines, environments by allow-list, mapped objects, logs."""

import hashlib
import mmap
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from harness.procview import (
    free_port,
    hashed,
    listening_inodes,
    objects,
    other_logs,
    port_use,
    processes,
    socket_inodes,
)


def test_a_listening_socket_of_this_process_is_found_and_owned() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        inodes = listening_inodes(port)
        assert len(inodes) == 1
        assert inodes <= socket_inodes((os.getpid(),))
        assert not inodes & socket_inodes((1 << 22,))  # no such process
    assert listening_inodes(port) == frozenset()


def test_two_listeners_on_one_port_are_both_seen() -> None:
    with socket.socket() as one, socket.socket() as other:
        for server in (one, other):
            server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        one.bind(("127.0.0.1", 0))
        other.bind(one.getsockname())
        one.listen()
        other.listen()
        assert len(listening_inodes(one.getsockname()[1])) == 2


def test_ipv6_and_connected_sockets_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "net").mkdir()
    head = "  sl  local_address rem_address   st ...\n"
    row = "   {}: {}:1F90 {} {} 00000000:00000000 00:00000000 00000000  0  0 {} 1 0 100 0 0 10 0\n"
    (tmp_path / "net" / "tcp").write_text(
        head + row.format(0, "0100007F", "0100007F:D248", "01", 7) + row.format(1, "0100007F", "00000000:0000", "0A", 8)
    )
    (tmp_path / "net" / "tcp6").write_text(head + row.format(0, "0" * 32, "0" * 32 + ":0000", "0A", 9))
    assert listening_inodes(8080, tmp_path) == {8, 9}
    assert listening_inodes(8081, tmp_path) == frozenset()


def test_a_free_port_can_be_bound() -> None:
    with socket.create_server(("127.0.0.1", free_port("127.0.0.1"))) as server:
        assert server.getsockname()[1] > 0


def test_who_else_listens_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        own = port_use(port, (os.getpid(),))
        other = port_use(port, (1 << 22,))
    assert own == {"listening": True, "foreign": 0, "holders": []}
    assert (other["listening"], other["foreign"]) == (True, 1)
    assert [one["pid"] for one in other["holders"]] == [os.getpid()] and "python" in other["holders"][0]["command"]
    assert port_use(port, ()) == {"listening": False, "foreign": 0, "holders": []}


def test_values_of_an_environment_are_shown_by_allow_list_and_others_by_name() -> None:
    env = {"SHOWN": "a=b", "API_KEY": "hidden", "COMMITTEE_GUARDED": "key:label"}
    child = subprocess.Popen([sys.executable, "-c", "input()", "--flag", "v"], env=env, stdin=subprocess.PIPE)
    try:
        while processes((child.pid,), ())[0]["argv"][1:] != ["-c", "input()", "--flag", "v"]:
            time.sleep(0.01)  # between fork and exec the command line is still this test's
        seen = processes((child.pid, 1 << 22), ("SHOWN", "ABSENT"))
    finally:
        child.communicate(b"\n", timeout=10)
    assert len(seen) == 1 and seen[0]["pid"] == child.pid and seen[0]["parent"] == os.getpid()
    assert [pair for pair in seen[0]["env"] if pair[0] in env] == [["API_KEY", None], ["SHOWN", "a=b"]]
    assert "hidden" not in str(seen)
    assert processes((child.pid,), ()) == []


def test_mapped_objects_are_named_by_hash_unless_they_were_replaced(tmp_path: Path) -> None:
    content = os.urandom(9000)
    paths = [tmp_path / name for name in ("kernel.so", "replaced.so.1", "model.gguf", "notes.txt")]
    maps = []
    for path in paths:
        path.write_bytes(content)
        with path.open("rb") as source:
            maps.append(mmap.mmap(source.fileno(), 0, prot=mmap.PROT_READ))
    paths[1].unlink()
    paths[1].write_bytes(b"another build")
    found = {one["path"]: one for one in objects((os.getpid(), 1 << 22)) if one["path"].startswith(str(tmp_path))}
    digest = hashlib.sha256(content).hexdigest()
    assert [found[str(path)]["sha256"] for path in paths[:3]] == [digest, None, None]
    assert found[str(paths[0])] == {"path": str(paths[0]), "bytes": 9000, "sha256": digest, "pids": [os.getpid()]}
    assert str(paths[3]) not in found
    wanted = objects((os.getpid(),), (str(paths[2]),))
    assert [one["sha256"] for one in wanted if one["path"] == str(paths[2])] == [digest]
    for each in maps:
        each.close()


def test_a_hash_is_taken_anew_when_the_file_changed(tmp_path: Path) -> None:
    path = tmp_path / "a.so"
    path.write_bytes(b"one")
    first = hashed(path)
    path.write_bytes(b"other")
    assert (first, hashed(path)) == (hashlib.sha256(b"one").hexdigest(), hashlib.sha256(b"other").hexdigest())


def test_markers_in_other_logs_are_counted_if_they_were_written_since(tmp_path: Path) -> None:
    own, beside, old, aside = (tmp_path / name for name in ("own.log", "beside.log", "old.log", "aside.txt"))
    for path in (own, beside, old):
        path.write_text("ARMED 0\nARMED 1\n")
    since = time.time() - 60
    os.utime(old, (since - 60, since - 60))
    with aside.open("w") as held:
        held.write("ARMED 7\n")
        held.flush()
        found = other_logs(own, (os.getpid(),), since, (r"^ARMED \d", "never"))
    here = {one["path"]: one["counts"] for one in found if one["path"].startswith(str(tmp_path))}
    assert here == {str(beside): [2, 0], str(aside): [1, 0]}


@pytest.mark.parametrize("pattern", ["never", "ARMED$"])
def test_a_log_that_shows_nothing_is_not_named(tmp_path: Path, pattern: str) -> None:
    (tmp_path / "beside.log").write_text("ARMED 0\n")
    assert other_logs(tmp_path / "own.log", (), 0.0, (pattern,)) == []
