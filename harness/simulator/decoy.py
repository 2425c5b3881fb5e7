"""Processes outside the server's tree that some faults need: an older server, and one that keeps memory.

They are started twice removed, in a session of their own and with an empty environment, and end by themselves.
"""

import os
import select
import signal
import socket
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

PACKAGE_ROOT = Path(__file__).resolve().parents[2]
LISTEN_TIMEOUT_S = 20.0
POLL_S = 0.02
LIFETIME_S = 120  # of a process that holds memory, whatever becomes of the one it waits for
HELD = b"holding\n"


def start_apart(words: Sequence[str], tells: int | None = None) -> None:
    """Start a second simulator with these options; it is no child of this process and shares nothing with it.

    `tells` is an open file that becomes its standard output; without one nobody hears it.
    """
    middle = os.fork()
    if middle == 0:
        try:
            os.setsid()
            if os.fork() == 0:
                nowhere = os.open(os.devnull, os.O_RDWR)
                for number, place in ((0, nowhere), (1, nowhere if tells is None else tells), (2, nowhere)):
                    os.dup2(place, number)
                os.chdir(PACKAGE_ROOT)
                argv = [sys.executable, "-m", "harness.simulator", *words]
                os.execve(argv[0], argv, {"LANG": "C.UTF-8"})  # noqa: S606 - an argv list, no shell
        finally:
            os._exit(0)
    os.waitpid(middle, 0)


def start_holding(mib: int) -> bool:
    """Start a process that keeps so much memory until the one that started this server has gone; wait until it does."""
    hears, tells = os.pipe()
    start_apart(["--hold-mib", str(mib), "--ends-with", str(os.getppid())], tells)
    os.close(tells)
    try:
        return bool(select.select([hears], [], [], LISTEN_TIMEOUT_S)[0]) and os.read(hears, len(HELD)) == HELD
    finally:
        os.close(hears)


def wait_listening(host: str, port: int) -> bool:
    """Wait until somebody listens there; false when nobody does in time."""
    deadline = time.monotonic() + LISTEN_TIMEOUT_S
    while time.monotonic() < deadline:
        try:
            socket.create_connection((host, port), timeout=1.0).close()
        except OSError:
            time.sleep(POLL_S)
        else:
            return True
    return False


def free_port(host: str) -> int:
    """A port that nobody listens on now."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.bind((host, 0))
        return int(probe.getsockname()[1])


def hold(mib: int, pid: int) -> None:
    """Keep so much memory, really, until the process with this pid has gone; serve nothing."""
    signal.alarm(LIFETIME_S)
    kept = bytearray(b"\x01") * (mib * 2**20)
    os.write(1, HELD)
    with suppress(OSError):  # gone already
        select.select([os.pidfd_open(pid)], [], [])
    sys.exit(0 if kept else 1)
