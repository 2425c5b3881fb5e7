"""Who listens on a port: real sockets of this process, and tables as /proc writes them."""

import os
import socket
from pathlib import Path

from harness.gates.sockets import free_port, listening_inodes, socket_inodes


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
