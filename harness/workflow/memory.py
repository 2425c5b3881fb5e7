"""Memory of host and cards before a start, and its return after the stop (lesson S3)."""

import asyncio
import time
from dataclasses import dataclass

from harness.hosts.base import WatchedHost
from harness.hosts.looking import cards
from harness.vocabulary.target import Teardown

POLL_S = 0.1


@dataclass(frozen=True)
class FreeMemory:
    """What was free at one moment, MiB."""

    host_mib: int
    cards_mib: tuple[tuple[int, int], ...] = ()  # card number and its free memory, of those that say it

    def lacking(self, now: "FreeMemory", slack_mib: int) -> tuple[str, ...]:
        """Where less is free now than then, less the slack, in words."""
        said = [f"host: {self.host_mib - now.host_mib} MiB"] if now.host_mib < self.host_mib - slack_mib else []
        later = dict(now.cards_mib)
        for number, free_mib in self.cards_mib:
            if number in later and later[number] < free_mib - slack_mib:
                said.append(f"card {number}: {free_mib - later[number]} MiB")
        return tuple(said)


async def free_memory(host: WatchedHost) -> FreeMemory:
    """What is free now, of the host and of every card that is there."""
    seen = tuple((card.index, card.free_mib) for card in await cards(host) if card.free_mib is not None)
    return FreeMemory(await host.memory_available_mib(), seen)


async def not_returned(host: WatchedHost, teardown: Teardown, before: FreeMemory) -> tuple[str, ...]:
    """Wait until as much is free as before the start, less the target's slack; what still lacks when the time is up."""
    deadline = time.monotonic() + teardown.memory_timeout_s
    while lacking := before.lacking(await free_memory(host), teardown.memory_slack_mib):
        if time.monotonic() > deadline:
            return lacking
        await asyncio.sleep(POLL_S)
    return ()
