"""What runs, as the target's host shows it: processes, mapped objects, other logs and cards of one started server."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from harness.adapters.base import EngineReport
from harness.hosts.base import Held, WatchedHost
from harness.hosts.looking import Card, LoadedObject, OtherLog, Process, cards, loaded_objects, other_logs, processes
from harness.vocabulary.arm import Arm
from harness.vocabulary.target import Target


@dataclass(frozen=True)
class Running:
    """One look at a server's tree. An empty part could not be seen; nothing is concluded from it."""

    processes: tuple[Process, ...] = ()
    objects: tuple[LoadedObject, ...] = ()
    other_logs: tuple[OtherLog, ...] = ()  # counts in the order of the target's markers
    cards: tuple[Card, ...] = ()

    @property
    def pids(self) -> frozenset[int]:
        """Every process of the tree."""
        return frozenset(process.pid for process in self.processes)


async def look_at(host: WatchedHost, server: Held, target: Target, arm: Arm | None, since: float) -> Running:
    """Look at everything once; `since` is when the server was started, seconds since 1970.

    Values of the environment are read by allow-list: the target's `recorded_env` and the arm's own variables.
    """
    overlays = [path for one in (arm.overlay if arm else ()) for path in (one.path, one.source)]
    return Running(
        await processes(host, server, readable_env(target, arm)),
        await loaded_objects(host, server, overlays),
        await other_logs(host, server, since, [armed.marker for armed in target.armed]),
        await cards(host),
    )


def readable_env(target: Target, arm: Arm | None) -> Sequence[str]:
    """Names of the variables whose values may be read and recorded."""
    return sorted({*target.recorded_env, *(arm.env if arm else {})})


def as_json(report: EngineReport, running: Running) -> str:
    """Everything that was looked at, for the record: what the engine says of itself and what the host shows of it."""
    said = {"effective": dict(report.effective), "parsed": dict(report.parsed), "served_models": report.served_models}
    return json.dumps({"engine": said, "host": asdict(running)}, sort_keys=True)
