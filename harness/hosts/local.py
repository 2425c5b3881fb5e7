"""This host: servers of this machine, started and ended by its guardian. It starts and signals nothing itself."""

import asyncio
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from harness import procfs
from harness.guardian import PROTOCOL
from harness.hosts.base import Held, NotReady, NotStarted, Production, ReadyLine, ServerSpec
from harness.hosts.connection import Connection, GuardianError, RefusedError
from harness.hosts.onlooker import Onlooker
from harness.hosts.readiness import await_ready
from harness.hosts.wire import held_from_json, held_to_json, production_from_json, spec_to_json

__all__ = ["GuardianError", "LocalHost", "RefusedError"]

SPAWN_TIMEOUT_S = 20.0  # a guardian starts in a tenth of a second; a loaded machine gets time
QUERY_TIMEOUT_S = 20.0
QUEUE_TIMEOUT_S = 7200.0  # requests are done in order: one may wait for an earlier start that takes hours to fail
HEARTBEAT_S = 1.0
PACKAGE_ROOT = Path(__file__).resolve().parents[2]


class LocalHost(Onlooker):
    """GuardedHost over the guardian of one state directory. GuardianError from any call means: open again."""

    def __init__(self, state_dir: Path, connection: Connection) -> None:
        """Use `LocalHost.open`."""
        super().__init__(state_dir)
        self._connection = connection
        self._heart: asyncio.Task[None] | None = None
        self.runs: tuple[str, ...] = ()  # runs that others were measuring when this host was opened

    @classmethod
    async def open(cls, state_dir: Path) -> Self:
        """Connect to the guardian; if none is alive, start one, which ends orphans first. Raises GuardianError."""
        state_dir = made(state_dir)
        said = ""
        for _ in range(3):  # a guardian may be leaving, or another process may be starting one, at this moment
            with suppress(OSError, ConnectionError):
                return await cls._greet(state_dir, await Connection.open(state_dir))
            said = await spawn_guardian(state_dir)
        raise GuardianError(f"no guardian could be started for {str(state_dir)!r}: {said or 'see guardian.log there'}")

    @classmethod
    async def _greet(cls, state_dir: Path, connection: Connection) -> Self:
        """Check who answers. Raises ConnectionError if it is leaving, GuardianError if it cannot be used."""
        host = cls(state_dir, connection)
        try:
            hello = await connection.ask("hello", QUERY_TIMEOUT_S)
        except GuardianError as error:
            lost = connection.lost
            await connection.close()
            if lost:
                raise ConnectionError(str(error)) from error
            who = (state_dir / "guardian.json").read_text(encoding="utf-8")
            raise GuardianError(f"a guardian ({who}) is alive but does not answer; end it, then restore") from error
        if hello["protocol"] != PROTOCOL or not procfs.same(hello["pid"], hello["start_time"]):
            await connection.close()
            raise GuardianError(f"pid {hello['pid']} answers for {str(state_dir)!r} but is no guardian of this version")
        host.runs = tuple(hello["runs"])
        return host

    async def close(self) -> None:
        """Leave. A run that was begun and not ended counts as lost: its arms end and production comes back."""
        await self._stop_heart()
        await self._connection.close()

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
            return NotStarted(detail=str(refusal))

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
            return NotStarted(detail=str(refusal))

    async def stop(self, held: Held, grace_s: float) -> None:
        """End an arm's whole tree and wait until it is gone."""
        await self._ask("stop", held=held_to_json(held), grace_s=grace_s)

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


def made(state_dir: Path) -> Path:
    """The directory, absolute, readable by its owner only."""
    state_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    return state_dir.resolve()


async def spawn_guardian(state_dir: Path) -> str:
    """Start a guardian, which leaves this session at once; what it complained about, if it did."""
    launcher = await asyncio.create_subprocess_exec(
        *(sys.executable, "-E", "-s", "-S", "-m", "harness.guardian", "serve", str(state_dir)),
        cwd=PACKAGE_ROOT,
        env={"LANG": "C.UTF-8"},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    try:
        async with asyncio.timeout(SPAWN_TIMEOUT_S):
            return (await launcher.communicate())[1].decode(errors="replace").strip()
    except TimeoutError:
        launcher.kill()
        await launcher.wait()
        return f"it did not start in {SPAWN_TIMEOUT_S:g} s"
