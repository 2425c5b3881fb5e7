"""Looking at a host without touching it: the guardian's record, the process table and logs. It starts no guardian."""

import asyncio
import base64
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from harness.blanks import Blanks
from harness.hosts.base import FileStat, Held, Production
from harness.hosts.sight import CHUNK_BYTES, SIGHTS
from harness.hosts.wire import production_from_json

SLOW = frozenset({"look", "stat"})  # they may read gigabytes, so they get a thread of their own


class Sight(Protocol):
    """Asks `harness.hosts.sight` where the state directory lies, on this machine or on another one."""

    state_dir: Path  # on that machine

    async def ask(self, op: str, **body: Any) -> Any:
        """The answer of one function of `SIGHTS`."""

    async def reach(self, url: str) -> str:
        """The address under which a server of that host is reached from here."""


class LocalSight:
    """This machine's."""

    def __init__(self, state_dir: Path) -> None:
        self.state_dir = state_dir.resolve()

    async def ask(self, op: str, **body: Any) -> Any:
        """Call it here."""
        if op in SLOW:
            return await asyncio.to_thread(SIGHTS[op], self.state_dir, **body)
        return SIGHTS[op](self.state_dir, **body)

    async def reach(self, url: str) -> str:
        """The same address."""
        return url


class Onlooker:
    """Read-only view of one state directory."""

    def __init__(self, where: Path | Sight) -> None:
        """A path is a state directory of this machine."""
        self._sight = LocalSight(where) if isinstance(where, Path) else where
        self.blanks = Blanks()  # what nobody may read of the logs and processes of this host
        self._logs: dict[Path, bytearray] = {}  # the log read last: logs only grow, and each start has a fresh one

    @property
    def state_dir(self) -> Path:
        """Where the guardian keeps its files, on that host."""
        return self._sight.state_dir

    async def production(self) -> Production:
        """What is recorded of production, with `held` only if that very process runs now."""
        record = await self._sight.ask("production")
        if record is None:
            return Production(spec=None, wanted=False, held=None, url=None)
        return production_from_json(record, runs=record["runs"])

    async def leased(self, run: str) -> str | None:
        """Who took that host's lease for `run` and may be at it now, in a sentence; none where nobody is."""
        found: str | None = await self._sight.ask("leased", run=run)
        return found

    async def alive(self, held: Held) -> bool:
        """Whether that very process still runs."""
        return bool(await self._sight.ask("alive", pid=held.pid, start_time=held.start_time))

    async def pids(self, held: Held) -> tuple[int, ...]:
        """The pids of its process tree, itself first; empty when it is gone."""
        found = await self._sight.ask("tree", label=held.label, pid=held.pid, start_time=held.start_time)
        return tuple(found)

    async def read_log(self, held: Held) -> str:
        """Everything the server has written so far, undecodable bytes replaced; empty if there is no such log."""
        seen = self._logs.get(held.log)
        if seen is None:
            self._logs = {held.log: (seen := bytearray())}
        while part := await self.read(held.log, len(seen)):
            seen += part
            if len(part) < CHUNK_BYTES:
                break
        return self.blanks.text(seen.decode("utf-8", errors="replace"))

    async def read(self, path: Path, offset: int = 0) -> bytes | None:
        """At most 256 KiB of a file of that host from `offset` on; none if there is no such file."""
        found = await self._sight.ask("read", path=str(path), offset=offset)
        return None if found is None else base64.b64decode(found)

    async def stat(self, path: Path) -> FileStat | None:
        """Size, mode and hash of a file of that host; none if there is no such file."""
        found = await self._sight.ask("stat", path=str(path))
        return None if found is None else FileStat(**found)

    async def memory_available_mib(self) -> int:
        """Memory available on the host, MiB."""
        return int(await self._sight.ask("memory"))

    async def look(self, question: Mapping[str, Any]) -> Any:
        """The answer of `harness.look.answer`, given on that host."""
        return self.blanks.whole(await self._sight.ask("look", question=dict(question)))

    async def reach(self, url: str) -> str:
        """The address under which a server of that host is reached from here; on this machine the same."""
        return await self._sight.reach(url)
