"""A workspace with a small real server as its target: whole measuring runs in seconds. The server is a stand-in."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.hosts.local import LocalHost
from harness.workflow.events import MeasureEvent
from harness.workflow.measure import Measurement
from harness.workflow.order import Order
from harness.workflow.production import Occasion, bring_up, production_spec, state_dir, take_down
from ledger.entries import Launch
from ledger.store import Ledger
from tests.harness import small_server

SERVER = str(Path(small_server.__file__))
TARGET: dict[str, Any] = {
    "schema": 1,
    "name": "small",
    "adapter": "llamacpp",
    "users": 2,
    "baseline": {
        "command": ["{python}", SERVER],
        "flags": {"mode": "good", "token-s": 0.003},
        "witness": [{"source": "props", "path": "total_slots", "equals": 4}],
    },
    "endpoint": {"port": 0, "api": "completions"},
    "ready": {"pattern": r"listening on (?P<url>http://\S+)", "timeout_s": 20},
    "armed": [{"marker": "WORKER ARMED x/4", "count": 1}],
    "allowed_flags": {
        "token-s": {"type": "float", "min": 0, "max": 1},
        "mode": {"type": "choice", "values": ["good", "refuse", "degenerate", "stranger"]},
        "die-after": {"type": "int", "min": 0, "max": 100},
    },
    "teardown": {"grace_s": 2, "memory_slack_mib": 8000, "memory_timeout_s": 1},
    "planning": {"launch_sd_pct": 5, "start_s": 0.3, "user_tok_s": 300},
}
CRITERIA: dict[str, Any] = {
    "schema": 1,
    "blocks": 2,
    "level": 0.05,
    "gates": ["ready", "armed", "isolated", "coherent"],
    "ladder": {"steps": [1, 2, 1], "tokens": 24, "request_timeout_s": 10},
    "primary": {"metric": "total_tok_s", "load": 2, "smallest_effect_pct": 10},
    "numerics": {"policy": "identical"},
}
FAST: dict[str, Any] = {
    "schema": 1,
    "name": "fast",
    "flags": {"token-s": 0.0005},
    "witness": [{"source": "log", "pattern": "token_s = 0.0005"}],
}
REFUSED: dict[str, Any] = {
    "schema": 1,
    "name": "refused",
    "flags": {"mode": "refuse"},
    "witness": [{"source": "log", "pattern": "never"}],
}


@dataclass(frozen=True)
class BenchYard:
    """One workspace."""

    folder: Path

    @property
    def place(self) -> Path:
        """The guardian's state directory."""
        return state_dir(self.folder, self.order().target)

    def order(self, *arms: dict[str, Any], run: str = "measure-test-000001", **criteria: Any) -> Order:
        """An order for these arms."""
        value = {
            "run": run,
            "target": TARGET,
            "target_sha256": "0" * 64,
            "criteria": CRITERIA | criteria,
            "arms": [{"arm": arm} for arm in (arms or (FAST,))],
            "seed": 3,
        }
        return Order.from_mapping(value, "the order")

    def ledger(self) -> Ledger:
        """The workspace's ledger."""
        return Ledger.open(self.folder / "records.db", actor="test", create=True)

    def measurement(self, order: Order, ledger: Ledger, events: list[MeasureEvent]) -> Measurement:
        """One start of an order."""
        return Measurement(order, self.folder, ledger, events.append)

    @asynccontextmanager
    async def production(self) -> AsyncIterator[LocalHost]:
        """Production up while the block runs; stopped, with its guardian, afterwards."""
        target = self.order().target
        host = await LocalHost.open(self.place)
        await host.set_production(production_spec(target, self.folder))
        with self.ledger() as ledger:
            await bring_up(host, ledger, Occasion(target, "test"))
        try:
            yield host
        finally:
            await host.close()
            host = await LocalHost.open(self.place)
            with self.ledger() as ledger:
                await take_down(host, ledger, Occasion(target, "test"))
            await host.dismiss()
            await host.close()


@contextmanager
def no_guardian(place: Path) -> Iterator[Callable[[], None]]:
    """What is called ends the guardian and lets none start again, until the block ends."""
    python = sys.executable

    def end() -> None:
        os.kill(json.loads((place / "guardian.json").read_text(encoding="utf-8"))["pid"], signal.SIGKILL)
        sys.executable = "/none/python"

    try:
        yield end
    finally:
        sys.executable = python


def launches(ledger: Ledger, run: str = "measure-test-000001") -> list[tuple[int, int, str]]:
    """Block, attempt and outcome of every launch on record."""
    return [(launch.block, launch.attempt, launch.outcome) for _, launch in ledger.of(Launch, run=run)]


async def until(events: list[MeasureEvent], what: str, count: int) -> None:
    """Wait until so many events of a kind were told; bounded."""
    async with asyncio.timeout(60):
        while sum(event.what == what for event in events) < count:  # noqa: ASYNC110 - events come from a plain list
            await asyncio.sleep(0.02)
