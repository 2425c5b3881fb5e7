"""One protocol on one simulator: everything true about it is known beforehand."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.adapters.vllm import Vllm
from harness.client.stream import Door, connections
from harness.procview import usage
from harness.protocols import PROTOCOLS, ProtocolOutcome, Surroundings
from harness.protocols.base import CacheCount, ProcessUse
from harness.protocols.cold import cache_count
from harness.vocabulary.criteria import DEFAULTS, Criteria
from harness.vocabulary.metrics import METRICS, NOT_COMPARED, ProtocolName
from tests.harness.simulator.starting import Simulated, started

SCALE = 0.05  # of virtual seconds; 20 of them in one
ONE_WORKER = ("--style", "vllm", "--workers", "1", "--tensor-parallel-size", "1", "--served-model-name", "sim")


def criteria_of(protocol: str, table: Mapping[str, Any]) -> Criteria:
    """Criteria with these settings of a protocol; its first metric at its first load decides."""
    name = ProtocolName(protocol)
    settings = type(DEFAULTS[name]).model_validate(table)  # type: ignore[attr-defined]
    metric = next(metric for metric in METRICS[name] if metric not in NOT_COMPARED)
    size = {"size": settings.sizes[0]} if settings.sizes else {}
    return Criteria.model_validate(
        {
            "schema": 1,
            "protocol": protocol,
            protocol: dict(table),
            "blocks": 2,
            "level": 0.05,
            "primary": {"metric": metric, "load": settings.loads[0], "smallest_effect_pct": 10, **size},
            "numerics": {"policy": "identical"},
        }
    )


class Tree:
    """The simulator's processes."""

    def __init__(self, simulated: Simulated) -> None:
        self._simulated = simulated

    async def use(self) -> tuple[ProcessUse, ...]:
        pids = [self._simulated.process.pid, *self._simulated.workers()]
        return tuple(ProcessUse(**one) for one in usage(pids))


async def loaded(folder: Path, protocol: str, table: Mapping[str, Any], *words: str) -> ProtocolOutcome:
    """What the protocol says of a simulator that was started with these words."""
    adapter = Vllm()
    async with started(folder, *ONE_WORKER, "--time-scale", str(SCALE), *words) as simulated:
        url = simulated.url

        async def cache() -> CacheCount | None:
            return cache_count((await adapter.report(url, "")).metrics)

        door = Door(url, "chat", "sim", adapter.sampling)
        around = Surroundings(cache, Tree(simulated))
        async with connections() as client:
            return await PROTOCOLS[ProtocolName(protocol)](client, door, criteria_of(protocol, table), 7, around)
