"""Before production stops: who is on it, by the engine's own counters, and whether to refuse or to wait for them.

Looks only. Between the last look and the stop a moment passes in which somebody may come; only a proxy could close it.
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from harness.adapters import ADAPTERS
from harness.gates.ready import dialled
from harness.hosts.onlooker import Onlooker
from harness.vocabulary.target import Target
from harness.workflow.carrier import onlooker
from harness.workflow.proof import named_by

POLL_S = 2.0  # a drain waits minutes; asking more often would only load the server that is being drained
DRAIN_LIMIT_S = 600.0  # ten minutes: a long document and its answer; who waits longer says so
SILENT_LIMIT_S = 30.0  # a busy machine lets a server go quiet for seconds; one that hangs is not waited for all night
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
class Silent:
    """Production runs and did not answer when it was asked who is on."""

    why: str


UNANSWERED = Load(1, 0)  # stands for an engine that published counts and does not answer at this moment


@dataclass(frozen=True)
class Politeness:
    """How a run treats users who are on."""

    when_busy: WhenBusy = WhenBusy.REFUSE
    limit_s: float = DRAIN_LIMIT_S  # how long a drain may take
    users_accept: bool = False  # a person says that users accept what nobody can count


@dataclass(frozen=True)
class Kept:
    """Production must not be stopped now."""

    sentence: str
    final: bool = False  # waiting would not change it


async def load_of(target: Target, looking: Onlooker) -> Load | Silent | None:
    """Requests in production now; none where it does not run or publishes no count."""
    production = await looking.production()
    if production.held is None:
        return None
    url = await looking.reach(dialled(production.url or named_by(target), target.endpoint.host))
    adapter = ADAPTERS[target.adapter]
    report = await adapter.report(url, "")
    counters = adapter.counters(report)
    if counters is None or counters.running is None or counters.waiting is None:
        return Silent(report.silent) if report.silent else None
    return Load(counters.running, counters.waiting)


async def load_asked(target: Target, looking: Onlooker) -> Load | Silent | None:
    """As `load_of`, asked again within `SILENT_LIMIT_S` while production does not answer."""
    deadline = time.monotonic() + SILENT_LIMIT_S
    while True:
        load = await load_of(target, looking)
        if not isinstance(load, Silent) or time.monotonic() > deadline:
            return load
        await asyncio.sleep(POLL_S)


async def users_gone(
    target: Target, state_dir: Path, politeness: Politeness, tell: Callable[[str], None]
) -> Kept | None:
    """None once nobody is on (or nothing runs), else why production must not be stopped now.

    `tell` hears what a drain waits for, once for each change. Raises GuardianError where the host cannot be reached.
    """
    async with onlooker(state_dir, target) as looking:
        return await _gone(target, looking, politeness, tell)


async def _gone(target: Target, looking: Onlooker, politeness: Politeness, tell: Callable[[str], None]) -> Kept | None:
    deadline, calm, told = time.monotonic() + politeness.limit_s, 0, ""
    patient, counted = politeness.when_busy is WhenBusy.DRAIN, False
    while (await looking.production()).held is not None:
        load = await (load_of if counted else load_asked)(target, looking)
        if load is None and (await looking.production()).held is None:
            return None  # it ended while it was asked
        if not isinstance(load, Load):
            if not counted:
                return None if politeness.users_accept else uncounted(target.name, load)
            load = UNANSWERED  # it counted its users a moment ago: one that does not answer now is busy, not empty
        counted = True
        calm = 0 if load.running or load.waiting else calm + 1
        if calm >= CALM_LOOKS or (calm and not patient):
            return None
        if not patient:
            return in_use(target.name, load)
        if not calm and time.monotonic() >= deadline:
            said = f"users were on {target.name!r} for {politeness.limit_s:g} s ({load.sentence}); try a quieter hour"
            return Kept(said)
        if not calm and load.sentence != told:
            told = load.sentence
            tell(f"waiting for users of {target.name}: {told}")
        await asyncio.sleep(POLL_S)
    return None


def in_use(name: str, load: Load) -> Kept:
    """Users are on."""
    return Kept(f"users are on {name!r} ({load.sentence}); try later, or wait for them with --when-busy drain")


def uncounted(name: str, load: Silent | None) -> Kept:
    """A production that publishes no count, or does not say it, is not stopped without a person's word."""
    if load is not None:
        return Kept(
            f"production of {name!r} did not say within {SILENT_LIMIT_S:g} s whether users are on (its /metrics: "
            f"{load.why}); it hangs or its machine is too busy: look at it and try again, or say --users-accept if "
            "users accept that it goes away"
        )
    return Kept(
        f"production of {name!r} publishes no count of running and waiting requests, so nobody can tell whether users "
        "are on; say --users-accept if they accept that it goes away",
        final=True,
    )
