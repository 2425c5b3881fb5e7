"""Looks during a load, seldom and cheap: at the engine's counters by one plain GET, and at cards where there are any.

Cost: docs/gates-and-metrics.md. Whatever answers, or does not, is a value: counters, or why there are none.
"""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from harness.adapters.asking import NoAnswer, glance
from harness.adapters.base import Adapter, EngineReport
from harness.adapters.exposition import exposition
from harness.gates.isolated import Look, Sample, Unseen
from harness.hosts.base import Held, WatchedHost
from harness.hosts.looking import MachineReading, machine

EVERY_S = (
    2.0  # a stranger's request takes seconds; each look costs the engine and this process under a millisecond or two
)

CARDS_EVERY_S = 10.0  # a card's clock falls within seconds after the load; asking an H200's driver takes 15 ms


@asynccontextmanager
async def looks(adapter: Adapter, base_url: str, every_s: float = EVERY_S) -> AsyncIterator[list[Look]]:
    """Look until the block ends; the list grows meanwhile and stays empty only for a load shorter than a pause."""
    seen: list[Look] = []
    task = asyncio.create_task(_sample(adapter, base_url, every_s, seen))
    try:
        yield seen
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


async def _sample(adapter: Adapter, base_url: str, every_s: float, seen: list[Look]) -> None:
    while True:
        await asyncio.sleep(every_s)
        t_asked = time.perf_counter()
        answer = await glance(base_url, "/metrics")
        seen.append(look_in(adapter, answer, t_asked, time.perf_counter()))


def look_in(adapter: Adapter, answer: str | NoAnswer, t_asked: float, t_answered: float) -> Look:
    """What one answer says; pure. Raises nothing, whatever it is."""
    if isinstance(answer, NoAnswer):
        return Unseen(t_asked, t_answered, answer.why)
    metrics = exposition(answer)
    counters = adapter.counters(EngineReport(log="", metrics=metrics.values, unread=metrics.unread))
    if counters is not None:
        return Sample(t_asked, t_answered, counters)
    if odd := [name for name in adapter.counted if name in metrics.unread]:
        return Unseen(t_asked, t_answered, f"{odd[0]} is no finite number")
    return Unseen(t_asked, t_answered, "its answer holds no counters")
