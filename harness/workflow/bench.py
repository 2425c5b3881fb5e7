"""The host of one measuring run: the guardian's connection, production down, and the way back after a lost guardian."""

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from harness.hosts.base import Held
from harness.hosts.local import GuardianError, LocalHost
from harness.workflow.order import Order
from harness.workflow.production import Down, Occasion, bring_up, differences, production_spec, take_down
from harness.workflow.proof import prove_production
from ledger.store import Ledger, LedgerError

RESTORE_TRIES = 3  # a guardian or a production killed at this very moment costs one; more needs a person


@dataclass
class Bench:
    """Holds the one connection that may be replaced when a guardian dies; everything else is fixed."""

    host: LocalHost
    place: Path
    ledger: Ledger
    occasion: Occasion
    wanted: bool  # whether production was up (or meant to be) when the run began, so that it must come back
    drift: tuple[str, ...] = ()  # what production, as it ran then, differs in from the order's target

    @classmethod
    async def open(cls, place: Path, order: Order, workspace: Path, ledger: Ledger) -> "Bench":
        """Connect, tell the guardian what production is, and arm its dead-man switch. Production is not touched yet.

        Production that is recorded already comes back as it was recorded, not as the order's target describes it.
        """
        host = await LocalHost.open(place)
        production = await host.production()
        if production.spec is None:
            await host.set_production(production_spec(order.target, workspace))
        await host.begin(order.run)
        drift = differences(order.target, production.started_as)
        return cls(host, place, ledger, Occasion(order.target, "harness", order.run), production.wanted, drift)

    async def clear(self) -> None:
        """Take production down for the run."""
        if self.wanted:
            await take_down(self.host, self.ledger, self.occasion)

    async def reopen(self) -> None:
        """After a lost guardian: a new one, with the same switch armed and production down again."""
        await self._connect()
        await self.host.begin(self.occasion.run or "")
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
        self.host = await LocalHost.open(self.place)
