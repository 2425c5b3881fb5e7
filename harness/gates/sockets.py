"""Which process listens on a port, read from /proc: the proof that who answers is who was started.

Only the reading of /proc touches the machine; a process that ends meanwhile owns nothing.
"""

import socket
from collections.abc import Iterable
from pathlib import Path

PROC = Path("/proc")
LISTEN = "0A"  # include/net/tcp_states.h


def listening_inodes(port: int, proc: Path = PROC) -> frozenset[int]:
    """Inodes of every TCP socket that listens on `port`, on whatever address."""
    found: set[int] = set()
    for table in ("tcp", "tcp6"):
        try:
            lines = (proc / "net" / table).read_text().splitlines()[1:]
        except OSError:
            continue
        for line in lines:
            columns = line.split()
            if columns[3] == LISTEN and int(columns[1].rpartition(":")[2], 16) == port:
                found.add(int(columns[9]))
    return frozenset(found)


def socket_inodes(pids: Iterable[int], proc: Path = PROC) -> frozenset[int]:
    """Inodes of every socket that these processes hold."""
    found: set[int] = set()
    for pid in pids:
        try:
            entries = list((proc / str(pid) / "fd").iterdir())
        except OSError:
            continue
        for entry in entries:
            try:
                name = str(entry.readlink())
            except OSError:
                continue
            if name.startswith("socket:["):
                found.add(int(name[8:-1]))
    return frozenset(found)


def free_port(host: str) -> int:
    """A port that nobody listens on now, for servers that cannot choose one; who answers is proved afterwards."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.bind((host, 0))
        return int(probe.getsockname()[1])
