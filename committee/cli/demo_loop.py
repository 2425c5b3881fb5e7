"""The main job from start to end, as a person would do it: start production, run, accept, verify, report, stop.

The decision at the end is taken by this script, and the record says so. Everything measured is really measured.
"""

import asyncio
import time
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from committee.accept.accept import accept
from committee.accept.pins import pinned_heads
from committee.cli.desk import open_desk
from committee.cli.display import RunDisplay
from committee.cli.outlook import outlook_of
from committee.cli.terms import Given
from committee.making import EXAMPLE, init
from committee.report import build, measured_table
from committee.report.busyness import BUSY_PCT, other_shares
from committee.workflow.graph import RunResult, start
from committee.workflow.state import Stage
from committee.workspace import Workspace
from harness.hosts.local import LocalHost
from harness.vocabulary.outcome import GateName
from harness.vocabulary.target import Target
from harness.workflow.production import Down, Occasion, bring_up, production_spec, state_dir, take_down
from harness.workflow.proof import prove_production
from ledger.entries import Acceptance, Gate, Verdict
from ledger.store import Ledger

PERSON = "the demonstration's script (no person decided)"
REASON = "the criteria written beforehand are met; accepted by the demonstration to show the last step"
BY = "the demonstration"
STOPPED = (
    "production was stopped by the demonstration: it was a scratch server of this workspace, and nothing of it runs on"
)


@dataclass(frozen=True)
class Demonstrated:
    """How the demonstration ended; `sentence` is empty when every step came out."""

    folder: Path
    sentence: str = ""


async def demonstrate(folder: Path, console: Console) -> Demonstrated:
    """Run everything in `folder`, which is made. Production is stopped at the end, whatever happened."""
    place = init(folder, example=True)
    target, _ = place.target("local-llamacpp")
    console.print(f"scratch workspace {place.folder}", markup=False, highlight=False, soft_wrap=True)
    try:
        ended = await _loop(place, target, console)
    finally:
        await _stop(place, target)
    return finished(place, ended, console)


async def _loop(place: Workspace, target: Target, console: Console) -> Demonstrated:
    trouble = await _start(place, target)
    if trouble:
        return Demonstrated(place.folder, trouble)
    console.print(
        "production is up: the baseline of local-llamacpp, a real llama.cpp server of its own", highlight=False
    )
    began = time.monotonic()
    with open_desk(place, RunDisplay(console), Given(yes=True)) as desk:  # its own scratch server
        result = await start(desk, EXAMPLE, Stage.ACCEPT)
    console.print(f"review and measuring took {(time.monotonic() - began) / 60:.1f} min", highlight=False)
    return await decided(place, EXAMPLE, result, console)


async def decided(place: Workspace, proposal: str, result: RunResult, console: Console) -> Demonstrated:
    """Accept what meets the criteria, then print the table: what it says to do next holds after the decision.

    In a thread of its own, since accepting looks at the target's host in a loop of its own.
    """
    return await asyncio.to_thread(_decide, place, proposal, result, console)


def _decide(place: Workspace, proposal: str, result: RunResult, console: Console) -> Demonstrated:
    with place.ledger(actor=BY) as ledger:
        accepted = None if result.ended else _accepted(place, ledger, proposal, result.measuring_run)
        if accepted is not None:
            console.print(
                f"accepted {accepted.arm_name}: its measurements meet the criteria; committed as the new baseline, "
                "by a script",
                highlight=False,
            )
        if result.verdicts:
            measured_table(ledger, result.measuring_run, outlook_of(place, ledger)).print(console)
        none_met = _none_met(ledger, result.measuring_run)
    return Demonstrated(place.folder, "" if accepted else result.ended or none_met)


def _none_met(ledger: Ledger, run: str) -> str:
    """That nothing was accepted, and how busy others kept the cores meanwhile, by the quiet gate's own readings."""
    said = "no arm met the criteria this time, so none was accepted; every step ran, and the table above says why"
    shares = other_shares(gate for _, gate in ledger.of(Gate, run=run, gate=GateName.QUIET.value))
    if max(shares, default=0) < BUSY_PCT:
        return f"{said}; measure again"
    return (
        f"{said}. While it measured, other programs used up to {max(shares):.0f} % of the cores, which makes intervals "
        "wide: try it again when the machine is quiet"
    )


def _accepted(place: Workspace, ledger: Ledger, proposal: str, run: str) -> Acceptance | None:
    """The first arm, by measured gain, whose measurements meet the criteria."""
    for arm in _fastest_first([verdict for _, verdict in ledger.of(Verdict, run=run)]):
        outcome = accept(place, ledger, proposal, arm, REASON, PERSON)
        if isinstance(outcome, Acceptance):
            return outcome
    return None


def finished(place: Workspace, ended: Demonstrated, console: Console) -> Demonstrated:
    """With production stopped: the page as it now is, what became of production, and the whole ledger verified."""
    with place.ledger(actor=BY) as ledger:
        (place.folder / "report.html").write_text(build(ledger, outlook_of(place, ledger)), encoding="utf-8")
    console.print(STOPPED, highlight=False)
    return _verified(place, ended, console)


def _fastest_first(verdicts: list[Verdict]) -> tuple[str, ...]:
    """Arms that are FASTER on the primary metric, largest measured gain first: the order comes from measuring."""
    faster = [v for v in verdicts if v.primary and v.speed == "FASTER" and v.interval is not None]
    return tuple(v.arm for v in sorted(faster, key=lambda v: -(v.interval.estimate_pct if v.interval else 0.0)))


def _verified(place: Workspace, ended: Demonstrated, console: Console) -> Demonstrated:
    result = place.records.verify(pinned_heads(place.folder))
    if not result.ok:
        return Demonstrated(place.folder, f"the ledger is not whole: {result.findings[0].sentence}")
    console.print(f"ledger whole: {result.entries} entries, {result.blobs} blobs verified", highlight=False)
    return ended


async def _start(place: Workspace, target: Target) -> str | None:
    host = await LocalHost.open(state_dir(place.folder, target))
    try:
        await host.set_production(production_spec(target, place.folder))
        with place.ledger(actor=BY) as ledger:
            held = await bring_up(host, ledger, Occasion(target, BY))
        return held.sentence if isinstance(held, Down) else await prove_production(host, target)
    finally:
        await host.close()


async def _stop(place: Workspace, target: Target) -> None:
    host = await LocalHost.open(state_dir(place.folder, target))
    try:
        with place.ledger(actor=BY) as ledger:
            await take_down(host, ledger, Occasion(target, BY))
        await host.dismiss()
    finally:
        await host.close()
