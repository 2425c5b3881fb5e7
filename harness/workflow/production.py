"""Production's own life: its start, its way down for a run, its way back, each written to the ledger."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from harness.adapters import ADAPTERS, Place, server_spec
from harness.hosts.base import Held, NotStarted, ServerSpec
from harness.hosts.local import LocalHost
from harness.vocabulary.target import Target
from ledger.entries import TargetState
from ledger.store import Ledger

State = Literal["up", "down", "taken_down", "restored", "restore_failed"]


@dataclass(frozen=True)
class Down:
    """Production cannot be brought up; the sentence says why and what to do."""

    sentence: str


def state_dir(workspace: Path, target: Target) -> Path:
    """Where the guardian of a target keeps its socket, logs and what it knows of production."""
    return workspace / ".committee" / "targets" / target.name


def production_spec(target: Target, workspace: Path) -> ServerSpec:
    """The baseline as the guardian starts it."""
    place = Place(alias="production", port=target.endpoint.port, cwd=workspace)
    return server_spec(ADAPTERS[target.adapter], target, None, place)


@dataclass(frozen=True)
class Occasion:
    """Who handles production, and during which run (none outside a run)."""

    target: Target
    by: str
    run: str | None = None


async def bring_up(host: LocalHost, ledger: Ledger, occasion: Occasion) -> Held | Down:
    """Start production, or find it up already; the outcome is an entry either way."""
    name = occasion.target.name
    outcome = await host.bring_back()
    if isinstance(outcome, NotStarted):
        ledger.append(_state(occasion, "restore_failed", outcome.detail))
        return Down(f"production of {name!r} did not come up ({outcome.detail}); run 'harness restore {name}'")
    url = (await host.production()).url
    state: State = "restored" if occasion.run else "up"
    ledger.append(_state(occasion, state, "ready line in its own log", outcome, url))
    return outcome


async def take_down(host: LocalHost, ledger: Ledger, occasion: Occasion) -> Held | None:
    """Stop production for a run, or for good where there is no run; none if it was not up."""
    if occasion.run:
        held = await host.take_down()
    else:
        held = (await host.production()).held
        await host.stop_production()
    evidence = "stopped by process id" if held else "it was not running"
    ledger.append(_state(occasion, "taken_down" if held else "down", evidence, held))
    return held


def _state(
    occasion: Occasion, state: State, evidence: str, held: Held | None = None, url: str | None = None
) -> TargetState:
    return TargetState(
        target=occasion.target.name,
        state=state,
        by=occasion.by,
        run=occasion.run,
        pid=held.pid if held else None,
        start_time=held.start_time if held else None,
        url=url,
        evidence=evidence,
    )
