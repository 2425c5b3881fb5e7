"""The host of one measuring run: the guardian's connection, production down, and the way back after a lost guardian."""

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from harness.hosts.base import Held
from harness.hosts.local import GuardianError, LocalHost
from harness.workflow.order import Order
from harness.workflow.production import Down, Occasion, bring_up, production_spec, take_down
from harness.workflow.proof import prove_production
from ledger.store import Ledger


@dataclass
class Bench:
    """Holds the one connection that may be replaced when a guardian dies; everything else is fixed."""

    host: LocalHost
    place: Path
    ledger: Ledger
    occasion: Occasion
    wanted: bool  # whether production was up (or meant to be) when the run began, so that it must come back

    @classmethod
    async def open(cls, place: Path, order: Order, workspace: Path, ledger: Ledger) -> "Bench":
        """Connect, tell the guardian what production is, and arm its dead-man switch. Production is not touched yet."""
        host = await LocalHost.open(place)
        production = await host.production()
        if production.spec is None:
            await host.set_production(production_spec(order.target, workspace))
        await host.begin(order.run)
        return cls(host, place, ledger, Occasion(order.target, "harness", order.run), production.wanted)

    async def clear(self) -> None:
        """Take production down for the run."""
        if self.wanted:
            await take_down(self.host, self.ledger, self.occasion)

    async def reopen(self) -> None:
        """After a lost guardian: a new one, with the same switch armed and production down again."""
        await self.host.close()
        self.host = await LocalHost.open(self.place)
        await self.host.begin(self.occasion.run or "")
        await self.clear()

    async def restore(self) -> Held | Down:
        """Bring production back and prove it, over a new guardian if the old one is gone."""
        try:
            back = await bring_up(self.host, self.ledger, self.occasion)
        except GuardianError:
            await self.host.close()
            self.host = await LocalHost.open(self.place)
            back = await bring_up(self.host, self.ledger, self.occasion)
        if isinstance(back, Down):
            return back
        trouble = await prove_production(self.host, self.occasion.target)
        return Down(trouble) if trouble else back

    async def close(self) -> None:
        """Disarm the switch and let go. The guardian stays and watches production."""
        with suppress(GuardianError):  # a guardian that is gone has nothing left to disarm
            await self.host.end()
        await self.host.close()
