"""A state directory, a work directory and real servers to put there; everything started is ended, by pid."""

import asyncio
import hashlib
import json
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from harness import procfs
from harness.hosts.base import Held, NotStarted, ServerSpec
from harness.hosts.host import Host
from harness.hosts.local import LocalHost
from harness.hosts.restore import RestoreOutcome, restore, restore_over
from harness.hosts.ssh import SshHost
from harness.testing import tiny_server
from harness.vocabulary.target import OtherHost
from tests.harness.hosts.sshd import NAME, Sshd

LISTENING = r"listening on (?P<url>http://\S+)"
WAIT_S = 20.0  # bound of every wait; a passing run needs a fraction of a second


@dataclass(frozen=True)
class Yard:
    """Where one test's servers live; with an sshd they are reached over it, on this same machine."""

    root: Path
    sshd: Sshd | None = None

    @property
    def state(self) -> Path:
        return self.root / "state" if self.sshd is None else self.far / "targets" / "small"

    @classmethod
    def at(cls, root: Path) -> "Yard":
        """The yard that another process made."""
        folder = root / "sshd"
        return cls(root, Sshd(folder, 0, 0) if folder.is_dir() else None)

    def far_ends(self) -> set[int]:
        """Processes that stand for a harness on the host over ssh."""
        found = (int(entry.name) for entry in os.scandir("/proc") if entry.name.isdigit())
        words = f"\0look\0{self.state}".encode()
        return {pid for pid in found if words in command_line(pid)}

    @property
    def far(self) -> Path:
        """What is kept on the host over ssh."""
        return self.root / "far"

    async def open(self) -> Host:
        """The host, over its guardian."""
        if self.sshd is None:
            return await LocalHost.open(self.state)
        other = OtherHost(ssh=NAME, folder=str(self.far), python=sys.executable)
        return await SshHost.open(other, "small", self.sshd.config)

    async def restore(self) -> RestoreOutcome:
        """What `harness restore` does."""
        if self.sshd is None:
            return await restore(self.state)
        return await restore_over(self.open, repr(str(self.state)), self.state.name)

    @property
    def work(self) -> Path:
        return self.root / "work"

    def spec(self, label: str, *flags: str, grace_s: float = 2.0, timeout_s: float = 15.0) -> ServerSpec:
        """A tiny server; flags make it misbehave."""
        argv = (sys.executable, "-E", "-s", "-S", tiny_server.__file__, "--lifetime-s", "120", *flags)
        env = (("PATH", os.environ["PATH"]), ("TINY_NAME", label))
        return ServerSpec(label, argv, env, self.work, LISTENING, timeout_s, grace_s)

    def production(self, *flags: str) -> ServerSpec:
        """A well-behaved production with one worker."""
        return self.spec("production", "--workers", "1", *flags)

    def record(self) -> dict[str, Any]:
        """production.json as it is now."""
        found: dict[str, Any] = json.loads((self.state / "production.json").read_text(encoding="utf-8"))
        return found

    def journal(self) -> list[dict[str, Any]]:
        """The journal's lines."""
        return [json.loads(line) for line in (self.state / "journal.jsonl").read_text(encoding="utf-8").splitlines()]

    def said(self) -> list[str]:
        """What happened, in order."""
        return [line["what"] for line in self.journal()]

    def guardian(self) -> tuple[int, int]:
        """pid and start time of whoever serves."""
        found = json.loads((self.state / "guardian.json").read_text(encoding="utf-8"))
        return found["pid"], found["start_time"]

    def marked(self, chosen: Callable[[str], bool] = bool) -> set[int]:
        """Every process that carries this yard's marker, or descends from one that does."""
        return set(procfs.members(procfs.state_key(self.state), chosen, {}))

    def files(self) -> dict[str, str]:
        """Every file outside of what the harness keeps, and its hash."""
        kept = {self.state, self.far, self.root / "sshd"}
        found = (path for path in self.root.rglob("*") if path.is_file() and not kept & set(path.parents))
        return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in found}

    def tidy(self) -> None:
        """End the guardian first, then all that carries the marker."""
        if (self.state / "guardian.json").exists():
            kill(*self.guardian())
        for pid, started in procfs.members(procfs.state_key(self.state), bool, {}).items():
            kill(pid, started)

    async def assert_production_is_back(self) -> None:
        """It answers from the recorded pid, and nothing else is left."""
        async with asyncio.timeout(WAIT_S):
            # the guardian may be replacing a production that was up a moment ago
            while not await self.answers():  # noqa: ASYNC110 - another process changes it
                await asyncio.sleep(0.05)
        held = self.record()["held"]
        assert procfs.same(held["pid"], held["start_time"])
        tree = procfs.members("none", bool, {held["pid"]: held["start_time"]})
        assert self.marked() == set(tree)
        assert len(tree) == 2  # itself and its worker

    async def answers(self) -> bool:
        """Whether the recorded process itself answers at the recorded address."""
        record = self.record()
        if not (record["held"] and record["url"]):
            return False
        with suppress(ConnectionError):
            expected = {"pid": record["held"]["pid"], "name": "production"}
            return bool(await asyncio.to_thread(get, record["url"]) == expected)
        return False

    def is_up(self) -> bool:
        """Whether the recorded production runs and said it is ready."""
        record = self.record()
        held = record["held"]
        return bool(record["url"]) and procfs.same(held["pid"], held["start_time"])


def command_line(pid: int) -> bytes:
    """The words of a process, empty when it is gone."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""


def get(url: str) -> Any:
    """What a server answers over HTTP."""
    address = urlsplit(url)
    connection = HTTPConnection(address.hostname or "", address.port, timeout=WAIT_S)
    try:
        connection.request("GET", "/")
        return json.loads(connection.getresponse().read())
    finally:
        connection.close()


@contextmanager
def a_yard(root: Path, sshd: Sshd | None = None) -> Iterator[Yard]:
    """A yard that is empty again at the end."""
    yard = Yard(root, sshd)
    yard.work.mkdir()
    (yard.work / "model.bin").write_bytes(b"weights")
    try:
        yield yard
        end = time.monotonic() + WAIT_S
        while yard.far_ends():
            assert time.monotonic() < end, "a far end outlives its link"
            time.sleep(0.02)
    finally:
        yard.tidy()


@asynccontextmanager
async def opened(yard: Yard) -> AsyncIterator[Host]:
    """A connected host."""
    host = await yard.open()
    try:
        yield host
    finally:
        await host.close()


async def with_production(yard: Yard, *flags: str) -> Held:
    """Production up, nobody connected any more."""
    async with opened(yard) as host:
        await host.set_production(yard.production(*flags))
        return started(await host.bring_back())


def started(outcome: Held | NotStarted) -> Held:
    """The process, or the test fails with what was said."""
    assert isinstance(outcome, Held), outcome
    return outcome


def kill(pid: int, start_time: int) -> None:
    """SIGKILL to that very process, and wait until it is gone."""
    procfs.send(pid, start_time, signal.SIGKILL)
    until = time.monotonic() + WAIT_S
    while procfs.same(pid, start_time) and time.monotonic() < until:
        time.sleep(0.005)
    assert not procfs.same(pid, start_time)


async def starting(host: Host) -> None:
    """Wait until a production process exists, ready or not."""
    end = time.monotonic() + WAIT_S
    while (await host.production()).held is None:
        assert time.monotonic() < end, f"no production process within {WAIT_S:g} s"
        await asyncio.sleep(0.01)


async def until(holds: Callable[[], bool], what: str) -> None:
    """Wait until something holds."""
    end = time.monotonic() + WAIT_S
    while not holds():
        assert time.monotonic() < end, f"not within {WAIT_S:g} s: {what}"
        await asyncio.sleep(0.02)
