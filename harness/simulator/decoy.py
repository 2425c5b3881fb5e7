"""Processes outside the server's tree that some faults need: an older server, and one that keeps memory.

They are started twice removed, in a session of their own and with an empty environment, and end by themselves.
"""

import os
import signal
import socket
import sys
import time
from collections.abc import Sequence
from pathlib import Path

PACKAGE_ROOT = Path(__file__).resolve().parents[2]
LISTEN_TIMEOUT_S = 20.0
POLL_S = 0.02
HOLD_S = 30  # how long memory that nobody gives back is kept


def start_apart(words: Sequence[str]) -> None:
    """Start a second simulator with these options; it is no child of this process and shares nothing with it."""
    middle = os.fork()
    if middle == 0:
        try:
            os.setsid()
            if os.fork() == 0:
                nowhere = os.open(os.devnull, os.O_RDWR)
                for number in (0, 1, 2):
                    os.dup2(nowhere, number)
                os.chdir(PACKAGE_ROOT)
                argv = [sys.executable, "-m", "harness.simulator", *words]
                os.execve(argv[0], argv, {"LANG": "C.UTF-8"})  # noqa: S606 - an argv list, no shell
        finally:
            os._exit(0)
    os.waitpid(middle, 0)


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


def hold(mib: int) -> None:
    """Keep so much memory for a while, really, and serve nothing."""
    signal.alarm(HOLD_S)
    kept = bytearray(b"\x01") * (mib * 2**20)
    while kept:
        signal.pause()
