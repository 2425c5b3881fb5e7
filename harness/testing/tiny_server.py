"""A test stand-in for a server: a real process with idle workers that answers HTTP with its pid. It serves no model.

`python -m harness.testing.tiny_server --workers 2`; the flags make it behave as badly as real servers do.
"""

import argparse
import ctypes
import json
import os
import signal
import socket
import sys
import time
from pathlib import Path

REQUEST_TIMEOUT_S = 5.0  # one request at a time: whoever connects and says nothing must not block the next for long


def answer(peer: socket.socket, name: str) -> None:
    """{"pid": ..., "name": ...} of the answering process, whatever was asked; starts faster than http.server."""
    body = json.dumps({"pid": os.getpid(), "name": name}).encode()
    head = (
        f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    )
    try:
        peer.settimeout(REQUEST_TIMEOUT_S)
        asked = b""
        while b"\r\n\r\n" not in asked and (more := peer.recv(4096)):
            asked += more
        peer.sendall(head.encode() + body)
    except OSError:
        pass  # whoever asked is gone
    finally:
        peer.close()


def say(line: str) -> None:
    """One line of the server's own log, at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def idle(line: str, lifetime_s: int) -> None:
    """Be a worker until ended; never longer than the lifetime."""
    signal.alarm(lifetime_s)
    say(line)
    while True:
        signal.pause()


def erase_environment() -> None:
    """Write over the environment the kernel shows, as servers that set their own title do."""
    fields = Path("/proc/self/stat").read_bytes().rpartition(b")")[2].split()
    start, end = int(fields[47]), int(fields[48])  # fields 50 and 51 of proc(5): env_start, env_end
    ctypes.memset(start, 0, end - start)


def fork_workers(options: argparse.Namespace) -> None:
    """Idle children, and on demand one that left the session and lost its parent."""
    for number in range(options.workers):
        if os.fork() == 0:
            idle(f"WORKER {number} READY", options.lifetime_s)
    if options.orphan:
        middle = os.fork()
        if middle == 0:
            os.setsid()
            if os.fork() == 0:
                idle("ORPHAN READY", options.lifetime_s)
            os._exit(0)
        os.waitpid(middle, 0)


def parse(argv: list[str] | None = None) -> argparse.Namespace:
    """The flags."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, default=0, help="idle child processes")
    parser.add_argument("--start-s", type=float, default=0.0, help="seconds until it is ready")
    parser.add_argument("--never-ready", action="store_true", help="start, then never say so")
    parser.add_argument("--fail", default="", help="say this line and exit with status 1")
    parser.add_argument("--ignore-term", action="store_true", help="ignore SIGTERM, in workers too")
    parser.add_argument("--orphan", action="store_true", help="leave a worker in a session of its own")
    parser.add_argument("--erase-environment", action="store_true", help="show no environment")
    parser.add_argument("--lifetime-s", type=int, default=600, help="end by itself after this many seconds")
    return parser.parse_args(argv)


def main() -> None:
    """Start as told, then answer until ended."""
    options = parse()
    signal.alarm(options.lifetime_s)
    if options.ignore_term:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    say(f"tiny_server pid {os.getpid()} starting (test stand-in)")
    name = os.environ.get("TINY_NAME", "")
    if options.erase_environment:
        erase_environment()
    fork_workers(options)
    time.sleep(options.start_s)
    if options.fail:
        say(options.fail)
        sys.exit(1)
    while options.never_ready:
        signal.pause()
    listener = socket.create_server(("127.0.0.1", 0))
    say(f"listening on http://127.0.0.1:{listener.getsockname()[1]}")
    while True:
        answer(listener.accept()[0], name)


if __name__ == "__main__":
    main()
