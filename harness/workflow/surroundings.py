"""What a protocol may know of its server besides its answers: the engine's counters, its processes."""

from collections.abc import Awaitable, Callable

from harness.adapters import EngineReport
from harness.hosts.base import Held, WatchedHost
from harness.hosts.looking import usage
from harness.protocols.base import CacheCount, ProcessUse, Surroundings
from harness.protocols.cold import cache_count


class ServerProcesses:
    """The process tree of one server, looked at through its host."""

    def __init__(self, host: WatchedHost, server: Held) -> None:
        self._host, self._server = host, server

    async def use(self) -> tuple[ProcessUse, ...]:
        seen = await usage(self._host, self._server)
        return tuple(ProcessUse(one.pid, one.name, one.memory_mib, one.descriptors) for one in seen)


def surroundings(host: WatchedHost, server: Held, report: Callable[[], Awaitable[EngineReport]]) -> Surroundings:
    """The surroundings of one launch; `report` asks the engine anew each time."""

    async def cache() -> CacheCount | None:
        return cache_count((await report()).metrics)

    return Surroundings(cache, ServerProcesses(host, server))
