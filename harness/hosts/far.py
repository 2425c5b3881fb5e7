"""The far end of an ssh link: a process on the target's host that looks there, holds its lease and starts its guardian.

Standard library only: copied with what it imports (`bundle.py`) and run as `python3 FOLDER look STATE_DIR`. It lives as
long as its link: when standard input ends or stays silent it is gone at once, and its lease is stale.
`python3 FOLDER restore STATE_DIR` brings production back, for a systemd unit or a person on that host.
"""

import asyncio
import json
import os
import select
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any

from harness.account import account_user
from harness.hosts.connection import GuardianError
from harness.hosts.restore import restore, unquoted
from harness.hosts.sight import SIGHTS
from harness.hosts.spawn import PACKAGE_ROOT, made, spawn_guardian
from harness.lease import Lease, LeaseHeld

SILENCE_S = 30.0  # the link sends something each 5 s; one that says nothing for so long is gone
THREADS = 4  # a large file is hashed beside what is asked meanwhile
LARGEST_LINE = 1 << 22  # bytes; a part of a file is 350 kB
Json = dict[str, Any]


class FarEnd:
    """Answers one link. Requests and answers are JSON lines, as the guardian's."""

    def __init__(self, state: Path) -> None:
        self.state = state
        self.lease: Lease | None = None
        self.writing = threading.Lock()
        self.own: dict[str, Callable[..., Any]] = {
            "heartbeat": lambda: None,
            "lease": self.take,
            "release": self.release,
            "spawn": lambda: spawn_guardian(self.state),
        }

    def facts(self) -> Json:
        """What the other side has to know of this host."""
        return {
            "far": 1,
            "state": str(self.state),
            "home": str(Path.home()),
            "code": str(PACKAGE_ROOT),
            "python": sys.executable,
            "user": account_user(),
            "host": socket.gethostname(),
        }

    def take(self, run: str, take_over: bool, through: str) -> Json | None:
        """Take the lease for as long as this process lives, or say who holds it."""
        outcome = Lease.take(self.state, run, take_over=take_over, through=through)
        if isinstance(outcome, LeaseHeld):
            return asdict(outcome)
        self.lease = outcome
        return None

    def release(self) -> None:
        """Give it back."""
        if self.lease is not None:
            self.lease.release()

    def answer(self, message: Json) -> None:
        """One request; a fault in it is its answer."""
        number, op = message.pop("id"), message.pop("op")
        try:
            result = self.own[op](**message) if op in self.own else SIGHTS[op](self.state, **message)
            self.say({"id": number, "result": result})
        except GuardianError as error:
            self.say({"id": number, "error": str(error)})
        except Exception as error:  # noqa: BLE001 - whoever asked is told; the link goes on
            self.say({"id": number, "error": f"{op}: {error}" if isinstance(error, OSError) else f"{op}: {error!r}"})

    def say(self, value: Json) -> None:
        """One whole line, whichever thread says it."""
        with self.writing:
            sys.stdout.buffer.write(json.dumps(value).encode() + b"\n")
            sys.stdout.buffer.flush()


def lines() -> Iterator[bytes]:
    """Whole lines of standard input, until it ends or is silent for too long."""
    unread = b""
    while select.select([0], [], [], SILENCE_S)[0] and (data := os.read(0, 1 << 16)) and len(unread) < LARGEST_LINE:
        *whole, unread = (unread + data).split(b"\n")
        yield from whole


def look(state: Path) -> int:
    """Serve one link to its end."""
    end = FarEnd(made(state))
    end.say(end.facts())
    with ThreadPoolExecutor(THREADS) as threads:
        for line in lines():
            threads.submit(end.answer, json.loads(line))
        os._exit(0)  # at once: whatever a thread still reads, nobody waits for it


def main() -> int:
    """The command line on the far host."""
    words = {"look": look, "restore": restored}
    if len(sys.argv) != 3 or sys.argv[1] not in words:
        sys.stderr.write("usage: python3 FOLDER look|restore STATE_DIR\n")
        return 2
    return words[sys.argv[1]](Path(sys.argv[2]))


def restored(state: Path) -> int:
    """Bring production back on this host; 0 if it is as it should be. Nothing a server said goes into the journal."""
    outcome = unquoted(asyncio.run(restore(state)), state)
    sys.stdout.write(outcome.sentence + "\n")
    return 0 if outcome.up else 1


if __name__ == "__main__":
    sys.exit(main())
