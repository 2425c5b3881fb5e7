"""Looks during a load, seldom and cheap: at the engine's counters by one plain GET, and at cards where there are any.

Cost: docs/gates-and-metrics.md. What does not answer leaves no sample.
"""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from harness.adapters.asking import glance, prometheus
from harness.adapters.base import Adapter, EngineReport
from harness.gates.isolated import Sample
from harness.hosts.base import Held, WatchedHost
from harness.hosts.looking import MachineReading, machine

EVERY_S = (
    2.0  # a stranger's request takes seconds; each look costs the engine and this process under a millisecond or two
)

CARDS_EVERY_S = 10.0  # a card's clock falls within seconds after the load; asking an H200's driver takes 15 ms


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


@asynccontextmanager
async def card_readings(
    host: WatchedHost, server: Held, before: MachineReading, every_s: float = CARDS_EVERY_S
) -> AsyncIterator[list[MachineReading]]:
    """Read the machine until the block ends, if it has cards: clocks and throttling show only while they work."""
    readings: list[MachineReading] = []
    task = asyncio.create_task(_read(host, server, every_s, readings)) if before.cards else None
    try:
        yield readings
    finally:
        if task is not None:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task


async def _read(host: WatchedHost, server: Held, every_s: float, readings: list[MachineReading]) -> None:
    while True:
        await asyncio.sleep(every_s)
        readings.append(await machine(host, server))


async def _sample(adapter: Adapter, base_url: str, every_s: float, samples: list[Sample]) -> None:
    while True:
        await asyncio.sleep(every_s)
        t_asked = time.perf_counter()
        text = await glance(base_url, "/metrics")
        counters = adapter.counters(EngineReport(log="", metrics=prometheus(text))) if text else None
        if counters is not None:
            samples.append(Sample(t_asked, time.perf_counter(), counters))
