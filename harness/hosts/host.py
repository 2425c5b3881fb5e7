"""A host through its guardian: the same verbs for this machine and for one over ssh. It starts and signals nothing.

How a host is reached is its way: this machine's is in `local.py`, the one over ssh in `ssh.py`.
"""

import asyncio
import base64
import hashlib
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol, Self

from harness.hosts.base import Held, NotReady, NotStarted, Production, Ran, ReadyLine, ServerSpec
from harness.hosts.connection import Connection, GuardianError, RefusedError
from harness.hosts.onlooker import Onlooker, Sight
from harness.hosts.readiness import await_ready
from harness.hosts.sight import CHUNK_BYTES
from harness.hosts.wire import held_from_json, held_to_json, production_from_json, spec_to_json
from harness.lease import LeaseHeld
from harness.overlay.values import ChangedFile, FileChange, NotChanged, changed_from_json
from harness.procfs import json_of
from harness.servers import PROTOCOL

QUERY_TIMEOUT_S = 20.0
QUEUE_TIMEOUT_S = 7200.0  # requests are done in order: one may wait for an earlier start that takes hours to fail
HEARTBEAT_S = 1.0
POLL_S = 0.05
OPEN_TRIES = 3  # a guardian may be leaving, or another process may be starting one, at this moment
CODE_LINE = "committee: ended with "  # the last line of a command's log


class Way(Sight, Protocol):
    """How one host is reached."""

    home: Path | None  # where servers start there; none on this machine, where it is the workspace

    async def connect(self) -> Connection:
        """A connection to the guardian that serves. Raises OSError where none does."""

    async def spawn(self) -> str:
        """Start a guardian there; what it complained about, if it did."""

    async def lease(self, run: str, *, take_over: bool) -> LeaseHeld | None:
        """Take that host's lease for this connection, or say who holds it."""

    async def close(self) -> None:
        """Leave the host."""


class Host(Onlooker):
    """WorkedHost over the guardian of one state directory. GuardianError from any call means: open again."""

    def __init__(self, way: Way, connection: Connection) -> None:
        """Use `open` of a kind of host."""
        super().__init__(way)
        self._way, self._connection = way, connection
        self._heart: asyncio.Task[None] | None = None
        self.runs: tuple[str, ...] = ()  # runs that others were measuring when this host was opened

    @classmethod
    async def over(cls, way: Way) -> Self:
        """Connect to the guardian; if none is alive, start one, which ends orphans first. Raises GuardianError."""
        said = ""
        for _ in range(OPEN_TRIES):
            with suppress(OSError):
                return await cls._greet(way, await way.connect())
            said = await way.spawn()
        where = repr(str(way.state_dir))
        raise GuardianError(f"no guardian could be started for {where}: {said or 'see guardian.log there'}")

    @classmethod
    async def _greet(cls, way: Way, connection: Connection) -> Self:
        """Check who answers. Raises ConnectionError if it is leaving, GuardianError if it cannot be used."""
        host = cls(way, connection)
        where = repr(str(way.state_dir))
        try:
            hello = await connection.ask("hello", QUERY_TIMEOUT_S)
        except GuardianError as error:
            lost = connection.lost
            await connection.close()
            if lost:
                raise ConnectionError(str(error)) from error
            raise GuardianError(await _silent(host)) from error
        guardian = Held("guardian", hello["pid"], hello["start_time"], way.state_dir / "guardian.log")
        if hello["protocol"] != PROTOCOL or not await host.alive(guardian):
            await connection.close()
            raise GuardianError(f"pid {hello['pid']} answers for {where} but is no guardian of this version")
        host.runs = tuple(hello["runs"])
        return host

    async def close(self) -> None:
        """Leave. A run that was begun and not ended counts as lost: its arms end and production comes back."""
        await self._stop_heart()
        await self._connection.close()
        await self._way.close()

    @property
    def home(self) -> Path | None:
        """Where servers start on that host; none on this machine, where it is the workspace."""
        return self._way.home

    async def lease(self, run: str, *, take_over: bool = False) -> LeaseHeld | None:
        """Take the host's own lease until closed or gone, or say who holds it; this machine's is its workspace's."""
        return await self._way.lease(run, take_over=take_over)

    async def begin(self, run: str, heartbeat_timeout_s: float = 15.0) -> None:
        """Arm the dead-man switch: from now on, if this process is gone or stuck, production comes back."""
        await self._ask("begin", run=run, heartbeat_timeout_s=heartbeat_timeout_s)
        if self._heart is None:
            self._heart = asyncio.create_task(self._beat())

    async def end(self) -> None:
        """Disarm it; arms still running end."""
        await self._ask("end")
        await self._stop_heart()

    async def set_production(self, spec: ServerSpec) -> None:
        """Record what production is. A production that runs goes on as it is until it is next started."""
        await self._ask("set_production", spec=spec_to_json(spec))

    async def try_production(self, spec: ServerSpec) -> None:
        """Record a new production on probation, within a run; the former comes back unless it is kept. RefusedError
        before `begin`, and from a guardian of an earlier version."""
        await self._ask("try_production", spec=spec_to_json(spec))

    async def settle_production(self, *, keep: bool) -> None:
        """Keep the new one, or end it and record the former one again. RefusedError where none is to be kept."""
        await self._ask("settle_production", keep=keep)

    async def production(self) -> Production:
        """What the guardian knows about production now."""
        found = await self._connection.ask("production", QUERY_TIMEOUT_S)
        return production_from_json(found, runs=found["held"] is not None)

    async def take_down(self) -> Held | None:
        """Stop production for a run; it stays wanted. What was stopped, if it ran. RefusedError before `begin`."""
        stopped = await self._ask("take_down")
        return held_from_json(stopped) if stopped else None

    async def bring_back(self) -> Held | NotStarted:
        """Start production if it does not run, and wait for the ready line in its own log. Safe to repeat."""
        try:
            return held_from_json(await self._ask("bring_back"))
        except RefusedError as refusal:
            return NotStarted(detail=self.blanks.text(str(refusal)))

    async def stop_production(self) -> None:
        """A person's command: production stops and is not wanted any more."""
        await self._ask("stop_production")

    async def dismiss(self) -> bool:
        """Send the guardian away at once; false if it has a server to guard or somebody else is connected."""
        return bool(await self._ask("dismiss"))

    async def start(self, spec: ServerSpec) -> Held | NotStarted:
        """Start an arm under the guardian; returns when the process exists, not when it is ready."""
        try:
            return held_from_json(await self._ask("start", spec=spec_to_json(spec)))
        except RefusedError as refusal:
            return NotStarted(detail=self.blanks.text(str(refusal)))

    async def stop(self, held: Held, grace_s: float) -> None:
        """End an arm's whole tree and wait until it is gone."""
        await self._ask("stop", held=held_to_json(held), grace_s=grace_s)

    async def change(self, label: str, changes: Sequence[FileChange]) -> tuple[ChangedFile, ...] | NotChanged:
        """Change the files of one launch, all or none."""
        try:
            done = await self._ask("apply", label=label, changes=[change.as_json() for change in changes])
        except RefusedError as refusal:
            return NotChanged(self.blanks.text(str(refusal)))
        return tuple(changed_from_json(one) for one in done)

    async def undo(self) -> tuple[str, ...] | NotChanged:
        """Change them back and check it."""
        try:
            return tuple(await self._ask("undo"))
        except RefusedError as refusal:
            return NotChanged(self.blanks.text(str(refusal)))

    async def ready(self, held: Held, pattern: str, timeout_s: float) -> ReadyLine | NotReady:
        """Wait for the ready line in its own log; ends early if it does."""
        return await await_ready(self, held, pattern, timeout_s)

    async def _ask(self, op: str, **body: Any) -> Any:
        return await self._connection.ask(op, QUEUE_TIMEOUT_S, **body)

    async def _beat(self) -> None:
        """Heartbeats, until the guardian is gone; the next call says so. One that is slow to answer is asked again."""
        while not self._connection.lost:
            with suppress(GuardianError):
                await self._connection.ask("heartbeat", QUERY_TIMEOUT_S)
            await asyncio.sleep(HEARTBEAT_S)

    async def _stop_heart(self) -> None:
        if self._heart is not None:
            self._heart.cancel()
            with suppress(asyncio.CancelledError):
                await self._heart
            self._heart = None

    async def put(self, path: Path, content: bytes, mode: int = 0o644) -> None:
        """Write a file of that host whole, in one step; its folders are made."""
        for offset in range(0, max(len(content), 1), CHUNK_BYTES):
            part = base64.b64encode(content[offset : offset + CHUNK_BYTES]).decode()
            await self._way.ask("put_part", path=str(path), offset=offset, content=part)
        await self._way.ask("put_end", path=str(path), sha256=hashlib.sha256(content).hexdigest(), mode=mode)

    async def run(self, spec: ServerSpec, timeout_s: float) -> Ran | NotStarted:
        """Run a command to its end under the guardian, so that it ends with whoever asked for it."""
        script = f'"$@"; printf "\\n{CODE_LINE}%s\\n" "$?"'
        held = await self.start(replace(spec, argv=("/bin/sh", "-c", script, "sh", *spec.argv)))
        if isinstance(held, NotStarted):
            return held
        try:
            deadline = time.monotonic() + timeout_s
            while await self.alive(held) and time.monotonic() < deadline:  # noqa: ASYNC110 - another process ends
                await asyncio.sleep(POLL_S)
        finally:
            await self.stop(held, spec.grace_s)
        output, ended, code = (await self.read_log(held)).rpartition(f"\n{CODE_LINE}")
        return Ran(int(code), output) if ended else Ran(None, code)


async def _silent(host: Host) -> str:
    """What to do about a guardian that is there and does not answer."""
    place = host._way.state_dir
    with suppress(ValueError, TypeError, KeyError):
        pid = int(json_of((await host.read(place / "guardian.json") or b"").decode())["pid"])
        return (
            f"the guardian of {place.name!r} (pid {pid}) is alive but does not answer; "
            f"`kill -9 {pid}`, then `harness restore {place.name}`"
        )
    return f"the guardian of {place.name!r} is alive but does not answer; end it, then `harness restore {place.name}`"
