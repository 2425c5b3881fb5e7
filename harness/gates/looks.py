"""Looks at the engine's counters during a load, seldom and cheap: one plain GET of `/metrics` each.

Cost: docs/gates-and-metrics.md. What does not answer leaves no sample.
"""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from harness.adapters.asking import glance, prometheus
from harness.adapters.base import Adapter, EngineReport
from harness.gates.isolated import Sample

EVERY_S = (
    2.0  # a stranger's request takes seconds; each look costs the engine and this process under a millisecond or two
)


@asynccontextmanager
async def looks(adapter: Adapter, base_url: str, every_s: float = EVERY_S) -> AsyncIterator[list[Sample]]:
    """Sample until the block ends; the list grows meanwhile and may stay empty."""
    samples: list[Sample] = []
    task = asyncio.create_task(_sample(adapter, base_url, every_s, samples))
    try:
        yield samples
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def _sample(adapter: Adapter, base_url: str, every_s: float, samples: list[Sample]) -> None:
    while True:
        await asyncio.sleep(every_s)
        t_asked = time.perf_counter()
        text = await glance(base_url, "/metrics")
        counters = adapter.counters(EngineReport(log="", metrics=prometheus(text))) if text else None
        if counters is not None:
            samples.append(Sample(t_asked, time.perf_counter(), counters))
