"""A host over ssh: the guardian runs there, from a copy of its files; this side holds one link and talks through it.

A lost link is a lost heartbeat: the guardian over there brings production back by itself.
"""

import asyncio
import json
import socket
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from harness.account import account_name
from harness.hosts.bundle import bundle
from harness.hosts.connection import Connection, GuardianError, RefusedError
from harness.hosts.host import Host
from harness.hosts.onlooker import SLOW
from harness.hosts.ssh_link import SshLink, UnreachableError
from harness.lease import LeaseHeld
from harness.procfs import json_of
from harness.shortened import ending
from harness.vocabulary.target import OtherHost

INSTALL_TIMEOUT_S = 60.0
QUICK_TIMEOUT_S = 20.0
SLOW_TIMEOUT_S = 600.0  # gigabytes may be hashed
BEAT_S = 5.0
SERVES_WAIT_S = 3.0  # from a guardian's start until it has written that it serves; or there is none
LEAVING_S = 1.0  # a guardian that goes closes its socket some moments before it is gone
GREETING_LINES = 200  # a login's shell may talk before the far end does
LEASE_WAIT_S = 45.0  # an earlier link of the same run is noticed to be gone after 30 s of silence at the latest
POLL_S = 0.2
SHOWN = 300  # characters of what was said there last


@dataclass(frozen=True)
class FarFacts:
    """What the far end says of its host."""

    state: Path
    home: Path
    code: Path  # the folder that it was copied to
    python: str
    user: str
    host: str


class SshWay:
    """The way over one ssh link."""

    def __init__(self, link: SshLink, far: Connection, facts: FarFacts) -> None:
        """Use `SshWay.open`."""
        self._link, self._far, self.facts = link, far, facts
        self.state_dir = facts.state
        self.home: Path | None = facts.home
        self._beating = asyncio.create_task(self._beat())

    @classmethod
    async def open(cls, other: OtherHost, target: str, config: Path | None = None) -> Self:
        """Connect, copy what is not there yet, start the far end. Raises UnreachableError."""
        link = await SshLink.open(other.ssh, config)
        try:
            place = await _installed(link, other)
            state = f"{place['folder']}/targets/{target}"
            channel = await link.process((other.python, "-E", "-s", place["code"], "look", state))
            facts = await _greeting(link, channel)
            return cls(link, Connection(channel, channel, f"the far end on {other.ssh!r}"), facts)
        except BaseException:
            await link.close()
            raise

    async def ask(self, op: str, **body: Any) -> Any:
        """Look there."""
        return await self._far.ask(op, SLOW_TIMEOUT_S if op in SLOW else QUICK_TIMEOUT_S, **body)

    async def connect(self) -> Connection:
        """A connection to the guardian that serves there. Raises OSError where none does."""
        try:
            path, served = await self.ask("socket_path"), await self.ask("serves")
        except RefusedError as error:
            raise FileNotFoundError(str(error)) from error  # no guardian has written where it is
        try:
            channel = await self._link.socket(path)
        except ConnectionRefusedError:
            await asyncio.sleep(LEAVING_S if served else 0)
            if served and await self.ask("serves"):  # sshd says the same where it allows no such connection
                said = f"sshd on {self._link.name!r} does not connect to the guardian's socket"
                raise UnreachableError(f"{said}; set AllowStreamLocalForwarding for this login") from None
            raise
        return Connection(channel, channel)

    async def spawn(self) -> str:
        """Start a guardian there; what it complained about, if it did."""
        said = str(await self._far.ask("spawn", INSTALL_TIMEOUT_S))
        until = time.monotonic() + SERVES_WAIT_S
        while not await self.ask("serves") and time.monotonic() < until:  # noqa: ASYNC110 - another process writes it
            await asyncio.sleep(POLL_S)
        return said

    async def reach(self, url: str) -> str:
        """The address of a forwarded port."""
        return await self._link.reach(url)

    async def lease(self, run: str, *, take_over: bool) -> LeaseHeld | None:
        """Take the lease there, held by the far end. An earlier link of the same run is given time to end."""
        through = f"{account_name()}@{socket.gethostname()}"
        until = time.monotonic() + LEASE_WAIT_S
        while True:
            said = await self.ask("lease", run=run, take_over=take_over, through=through)
            if said is None:
                return None
            held = LeaseHeld(**said)
            if held.stale or f"for run {run!r}" not in held.sentence or time.monotonic() > until:
                return held
            await asyncio.sleep(POLL_S)

    async def close(self) -> None:
        """Give the lease back and close the link; the guardian there goes on."""
        self._beating.cancel()
        with suppress(asyncio.CancelledError):
            await self._beating
        with suppress(GuardianError):
            await self.ask("release")
        await self._far.close()
        await self._link.close()

    async def _beat(self) -> None:
        """Say that this side is there, until the link is gone; the next call says so."""
        while not self._far.lost:
            with suppress(GuardianError):
                await self.ask("heartbeat")
            await asyncio.sleep(BEAT_S)


class SshHost(Host):
    """The host of a target with a `[host]` table."""

    @classmethod
    async def open(cls, other: OtherHost, target: str, config: Path | None = None) -> Self:
        """Connect to that host and to its guardian; if none is alive, start one. Raises GuardianError."""
        way = await SshWay.open(other, target, config)
        try:
            return await cls.over(way)
        except BaseException:
            await way.close()
            raise


async def _installed(link: SshLink, other: OtherHost) -> dict[str, str]:
    """Where the bundle lies there; it is copied if it is not."""
    command = (other.python, "-E", "-s", "-S", "-")
    done = await link.run(command, bundle().program(other.folder), INSTALL_TIMEOUT_S)
    try:
        found = json_of(done.out.splitlines()[-1])
        if "error" not in found:
            return {"code": found["code"], "folder": found["folder"]}
        said = found["error"]
    except (ValueError, LookupError, TypeError):
        said = f"{other.python!r} does not run there ({ending(done.err, SHOWN) or f'it ended with {done.code}'})"
    raise UnreachableError(f"nothing can be started on {other.ssh!r}: {said}")


async def _greeting(link: SshLink, channel: Any) -> FarFacts:
    """The far end's first line; what a shell said before is passed over."""
    async with asyncio.timeout(INSTALL_TIMEOUT_S):
        for _ in range(GREETING_LINES):
            line = await channel.readline()
            if not line:
                break
            if line.startswith(b'{"far": 1'):
                said = json.loads(line)
                state, home, code = (Path(said[name]) for name in ("state", "home", "code"))
                return FarFacts(state, home, code, said["python"], said["user"], said["host"])
    raise UnreachableError(f"the far end on {link.name!r} did not start; see whether its disk is full")
