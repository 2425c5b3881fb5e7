"""A real sshd on loopback with a host key, authorized keys and a configuration of its own, all in one folder."""

import getpass
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from harness import procfs

NAME = "bench-host"
WAIT_S = 20.0
TRIES = 3  # the port was free a moment ago
PROGRAM = shutil.which("sshd", path="/usr/sbin:/usr/local/sbin:/sbin") or "/usr/sbin/sshd"
PRIVILEGES = Path("/run/sshd")  # sshd of root wants this empty folder, which nobody makes where systemd does not run


@dataclass(frozen=True)
class Sshd:
    """One server; `config` is the client's configuration in which it is called `NAME`."""

    folder: Path
    port: int
    pid: int

    @property
    def config(self) -> Path:
        return self.folder / "config"

    @property
    def known_hosts(self) -> Path:
        return self.folder / "known_hosts"

    def sessions(self) -> dict[int, int]:
        """pid -> start time of the processes that carry connections; what runs in them is not among these."""
        found: dict[int, int] = {}
        for entry in os.scandir("/proc"):
            if entry.name.isdigit() and (seen := procfs.stat(int(entry.name))) and seen.parent in (self.pid, *found):
                words = Path(f"/proc/{entry.name}/cmdline")
                if words.exists() and words.read_bytes().startswith(b"sshd"):
                    found[int(entry.name)] = seen.start_time
        return found

    def cut(self) -> int:
        """Kill -9 of every connection; how many processes that were."""
        sessions = self.sessions()
        return sum(procfs.send(pid, started, signal.SIGKILL) for pid, started in sessions.items())


@contextmanager
def a_sshd(folder: Path, *more: str) -> Iterator[Sshd]:
    """Started on a free port; it and its connections are gone at the end. `more` are lines of its configuration."""
    if not Path(PROGRAM).exists():
        raise FileNotFoundError(f"{PROGRAM!r} is not there; install openssh-server")
    folder.mkdir(mode=0o700)
    if os.getuid() == 0:
        PRIVILEGES.mkdir(mode=0o755, exist_ok=True)
    for key in ("host_key", "user_key"):
        command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "test", "-f", str(folder / key)]
        subprocess.run(command, check=True, timeout=WAIT_S)
    shutil.copy(folder / "user_key.pub", folder / "authorized_keys")
    for _ in range(TRIES):
        port = _free_port()
        _configure(folder, port, more)
        process = subprocess.Popen(
            [PROGRAM, "-D", "-E", str(folder / "sshd.log"), "-f", str(folder / "sshd_config")],
            stdin=subprocess.DEVNULL,
        )
        if _listens(process, port):
            break
    else:
        raise AssertionError((folder / "sshd.log").read_text(encoding="utf-8"))
    sshd = Sshd(folder, port, process.pid)
    try:
        yield sshd
    finally:
        sessions = sshd.sessions()
        process.kill()
        process.wait(WAIT_S)
        for pid, started in sessions.items():
            procfs.send(pid, started, signal.SIGKILL)


def _configure(folder: Path, port: int, more: tuple[str, ...]) -> None:
    lines = [
        "ListenAddress 127.0.0.1",
        f"Port {port}",
        f"HostKey {folder / 'host_key'}",
        f"AuthorizedKeysFile {folder / 'authorized_keys'}",
        "PidFile none",
        "StrictModes no",
        "UsePAM no",
        "PasswordAuthentication no",
        "KbdInteractiveAuthentication no",
        "PermitRootLogin prohibit-password",
        "MaxStartups 100",
        "MaxSessions 100",
    ]
    (folder / "sshd_config").write_text("\n".join([*more, *lines, ""]), encoding="utf-8")
    client = [
        f"Host {NAME}",
        "  HostName 127.0.0.1",
        f"  Port {port}",
        f"  User {getpass.getuser()}",
        f"  IdentityFile {folder / 'user_key'}",
        "  IdentitiesOnly yes",
        f"  UserKnownHostsFile {folder / 'known_hosts'}",
    ]
    (folder / "config").write_text("\n".join([*client, ""]), encoding="utf-8")
    public = (folder / "host_key.pub").read_text(encoding="utf-8")
    (folder / "known_hosts").write_text(f"[127.0.0.1]:{port} {public}", encoding="utf-8")


def _listens(process: subprocess.Popen[bytes], port: int) -> bool:
    until = time.monotonic() + WAIT_S
    while process.poll() is None and time.monotonic() < until:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return True
        except OSError:
            time.sleep(0.02)
    process.kill()
    process.wait(WAIT_S)
    return False


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
