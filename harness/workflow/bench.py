"""The host of one measuring run: the guardian's connection, production down, and the way back after a lost guardian."""

import asyncio
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from harness.hosts.base import Held
from harness.hosts.connection import GuardianError, RefusedError
from harness.hosts.host import Host
from harness.hosts.ssh_link import UnreachableError
from harness.lease import LeaseHeld
from harness.vocabulary.arm import Arm
from harness.vocabulary.target import Target
from harness.workflow.carrier import Claim, claimed_host
from harness.workflow.not_running import served_by_others
from harness.workflow.order import Order
from harness.workflow.present import absent, gone
from harness.workflow.production import (
    Down,
    Occasion,
    bring_up,
    differences,
    production_spec,
    record_as_it_runs,
    take_down,
)
from harness.workflow.proof import prove_production
from ledger.store import Ledger, LedgerError

RESTORE_TRIES = 3  # a guardian or a production killed at this very moment costs one; more needs a person
RECONNECT_S = 60.0  # a network that is away for longer ends the run; production is back by then
RECONNECT_PAUSE_S = 2.0
NOTICE_S = 25.0  # a link that went silently is noticed by the guardian after 15 s without a heartbeat
NOTICE_POLL_S = 0.2


@dataclass
class Bench:
    """Holds the one connection that may be replaced when a guardian dies; everything else is fixed."""

    host: Host
    place: Path
    workspace: Path
    ledger: Ledger
    occasion: Occasion
    wanted: bool  # whether production was up (or meant to be) when the run began, so that it must come back
    drift: tuple[str, ...] = ()  # what production, as it ran then, differs in from the order's target

    @classmethod
    async def open(
        cls, place: Path, order: Order, workspace: Path, ledger: Ledger, *, take_over: bool = False
    ) -> "Bench":
        """Connect, tell the guardian what production is, and arm its dead-man switch. Production is not touched yet.

        Production that is recorded already comes back as it was recorded, not as the order's target describes it.
        """
        host = await _claimed(place, order.target, order.run, take_over=take_over)
        try:
            production = await host.production()
            if production.spec is None:
                await host.set_production(production_spec(order.target, host.home or workspace))
            await record_as_it_runs(host)
            await _begin(host, order.run)
        except BaseException:
            await host.close()
            raise
        drift = differences(order.target, production.started_as)
        occasion = Occasion(order.target, "harness", order.run)
        return cls(host, place, workspace, ledger, occasion, production.wanted, drift)

    @property
    def cwd(self) -> Path:
        """Where a launch's server starts: the workspace, or the login's home on a host over ssh."""
        return self.host.home or self.workspace

    async def lacking(self, arms: Sequence[Arm]) -> str | None:
        """Why production must not be taken down for these arms, or could not come back; asked while it is up."""
        target = self.occasion.target
        if (said := await absent(target, arms, self.host, self.cwd)) is not None:
            return said
        production = await self.host.production()
        if production.held is None and (said := await served_by_others(target, self.host)) is not None:
            return said
        return await gone(target, production.spec, self.host) if self.wanted else None

    async def clear(self) -> None:
        """Take production down for the run."""
        if self.wanted:
            await take_down(self.host, self.ledger, self.occasion)

    async def reopen(self) -> None:
        """After a lost guardian: a new one, with the same switch armed and production down again."""
        await self._connect()
        await _begin(self.host, self.occasion.run or "")
        await self.clear()

    async def restore(self) -> Held | Down:
        """Bring production back and prove it, over a new guardian if the old one is gone.

        Raises LedgerError, with production proven back, where that cannot be recorded.
        """
        trouble = ""
        for _ in range(RESTORE_TRIES):
            try:
                back = await bring_up(self.host, self.ledger, self.occasion)
                trouble = back.sentence if isinstance(back, Down) else await self._prove()
                if isinstance(back, Held) and not trouble:
                    return back
            except GuardianError as error:
                trouble = f"production was not brought back: {error}"
                with suppress(GuardianError):
                    await self._connect()
            except LedgerError as error:
                trouble = await self._prove() or "production is up again all the same"
                raise LedgerError(f"{error}; {trouble}") from error
        return Down(trouble)

    async def close(self) -> None:
        """Disarm the switch and let go. The guardian stays and watches production."""
        with suppress(GuardianError):  # a guardian that is gone has nothing left to disarm
            await self.host.end()
        await self.host.close()

    async def _prove(self) -> str:
        return await prove_production(self.host, self.occasion.target) or ""

    async def _connect(self) -> None:
        await self.host.close()
        until = time.monotonic() + RECONNECT_S
        while True:
            try:
                self.host = await _claimed(self.place, self.occasion.target, self.occasion.run or "")
                return
            except UnreachableError:
                if time.monotonic() > until:
                    raise
                await asyncio.sleep(RECONNECT_PAUSE_S)


async def _claimed(place: Path, target: Target, run: str, *, take_over: bool = False) -> Host:
    """The target's host under its own lease. Raises GuardianError, also for a lease that is not given."""
    host = await claimed_host(place, target, Claim(run, take_over))
    if isinstance(host, LeaseHeld):
        raise GuardianError(host.sentence)
    return host


async def _begin(host: Host, run: str) -> None:
    """Arm the switch; an earlier connection of this very run is given the time in which its loss is noticed."""
    until = time.monotonic() + NOTICE_S
    while True:
        try:
            return await host.begin(run)
        except RefusedError as refusal:
            if f"run {run!r} is being measured" not in str(refusal) or time.monotonic() > until:
                raise
            await asyncio.sleep(NOTICE_POLL_S)
