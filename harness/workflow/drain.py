"""Before production stops: who is on it, by the engine's own counters, and whether to refuse or to wait for them.

Looks only. Between the last look and the stop a moment passes in which somebody may come; only a proxy could close it.
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from harness.adapters import ADAPTERS, EngineReport
from harness.gates.ready import dialled
from harness.hosts.onlooker import Onlooker
from harness.vocabulary.target import Target
from harness.workflow.proof import named_by

POLL_S = 2.0  # a drain waits minutes; asking more often would only load the server that is being drained
CALM_LOOKS = 3  # one look between two requests of the same user shows nobody


class WhenBusy(StrEnum):
    """What to do while users are on."""

    REFUSE = "refuse"
    DRAIN = "drain"


@dataclass(frozen=True)
class Load:
    """Requests in the engine at one moment, as it counts them itself."""

    running: int
    waiting: int

    @property
    def sentence(self) -> str:
        """For people."""
        return f"{self.running} requests running, {self.waiting} waiting"


@dataclass(frozen=True)
class Politeness:
    """How a run treats users who are on."""

    when_busy: WhenBusy = WhenBusy.REFUSE
    limit_s: float = 600.0  # how long a drain may take
    users_accept: bool = False  # a person says that users accept what nobody can count


@dataclass(frozen=True)
class Kept:
    """Production must not be stopped now."""

    sentence: str
    final: bool = False  # waiting would not change it


# The gauges that engines publish of requests they compute and of requests that wait.
GAUGES: tuple[tuple[str, str], ...] = (
    ("vllm:num_requests_running", "vllm:num_requests_waiting"),
    ("llamacpp:requests_processing", "llamacpp:requests_deferred"),
)


def load_in(report: EngineReport) -> Load | None:
    """The engine's own count of requests, none where it publishes none."""
    for running, waiting in GAUGES:
        if running in report.metrics and waiting in report.metrics:
            return Load(int(report.metrics[running]), int(report.metrics[waiting]))
    return None


async def load_of(target: Target, state_dir: Path) -> Load | None:
    """Requests in production now, none where it does not run or publishes no count."""
    production = await Onlooker(state_dir).production()
    if production.held is None:
        return None
    url = dialled(production.url or named_by(target), target.endpoint.host)
    return load_in(await ADAPTERS[target.adapter].report(url, ""))


async def users_gone(
    target: Target, state_dir: Path, politeness: Politeness, tell: Callable[[str], None]
) -> Kept | None:
    """None once nobody is on (or nothing runs), else why production must not be stopped now.

    `tell` hears what a drain waits for, once for each change.
    """
    deadline, calm, told = time.monotonic() + politeness.limit_s, 0, ""
    patient = politeness.when_busy is WhenBusy.DRAIN
    while (await Onlooker(state_dir).production()).held is not None:
        load = await load_of(target, state_dir)
        if load is None:
            return None if politeness.users_accept else unasked(target.name)
        calm = 0 if load.running or load.waiting else calm + 1
        if calm >= CALM_LOOKS or (calm and not patient):
            return None
        if not patient:
            said = f"users are on {target.name!r} ({load.sentence}); try later, or wait for them with --when-busy drain"
            return Kept(said)
        if not calm and time.monotonic() >= deadline:
            said = f"users were on {target.name!r} for {politeness.limit_s:g} s ({load.sentence}); try a quieter hour"
            return Kept(said)
        if not calm and load.sentence != told:
            told = load.sentence
            tell(f"waiting for users of {target.name}: {told}")
        await asyncio.sleep(POLL_S)
    return None


def unasked(name: str) -> Kept:
    """A production that publishes no count is not stopped without a person's word."""
    return Kept(
        f"production of {name!r} publishes no count of running and waiting requests, so nobody can tell whether users "
        "are on; say --users-accept if they accept that it goes away",
        final=True,
    )
