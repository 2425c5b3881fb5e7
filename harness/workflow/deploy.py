"""Another baseline into production: kept only once it is up, as its arm was attested, and through its gates.

Until then the guardian holds the former one: whoever is killed, and whatever fails, production is one of the two. It
decides nothing about acceptance and writes no decision; what it sees of production goes to the ledger as it happens.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from harness.hosts.base import Held, NotStarted, Production
from harness.hosts.connection import GuardianError
from harness.hosts.host import Host
from harness.lease import Lease, LeaseHeld
from harness.vocabulary.target import Target
from harness.workflow.accepted_run import RecordedBaseline
from harness.workflow.attest import attest
from harness.workflow.bench import Bench
from harness.workflow.carrier import Claim, claimed_host, onlooker
from harness.workflow.ending import certainly
from harness.workflow.present import absent, gone
from harness.workflow.production import (
    Down,
    Occasion,
    differences,
    production_spec,
    record_as_it_runs,
    state_dir,
    take_down,
)
from harness.workflow.proof import production_gates, prove_production
from ledger.store import Ledger

LEASE = "deploy"
BY_A_PERSON = "stopped by a person"


@dataclass(frozen=True)
class NewBaseline:
    """What production is to be."""

    deployment: str  # id of this attempt; the guardian's run, and the run of the states on record
    target: Target  # as its files say now
    workspace: Path
    accepted: str = ""  # fingerprint of the accepted arm; empty for the baseline that a person wrote
    recorded: RecordedBaseline | None = None  # what that arm was attested as when it was measured

    @property
    def place(self) -> Path:
        """The target's state directory."""
        return state_dir(self.workspace, self.target)


@dataclass(frozen=True)
class Deployed:
    """The new baseline is production, proven."""

    sentence: str
    away_s: float  # without production; 0 where it ran already


@dataclass(frozen=True)
class NotDeployed:
    """It is not, and why; `up` says whether the former one is production again, proven."""

    sentence: str
    touched: bool  # whether production was taken down
    up: bool = True
    away_s: float = 0.0


def expected_away_s(target: Target, starts_s: tuple[float, ...] = ()) -> float:
    """How long production will be away, seconds: ending it, and the longest start that was seen or else planned."""
    return target.teardown.grace_s + max(starts_s, default=target.planning.start_s)


async def nothing_against_it() -> None:
    """For who has decided just now."""


def told_to_nobody(_: Deployed | NotDeployed) -> None:
    """For who waits for the outcome anyway."""


async def deploy(
    new: NewBaseline,
    ledger: Ledger,
    tell: Callable[[str], None],
    may_begin: Callable[[], Awaitable[str | None]] = nothing_against_it,
    ended: Callable[[Deployed | NotDeployed], None] = told_to_nobody,
) -> Deployed | NotDeployed:
    """Everything under the target's lease. Raises GuardianError, LedgerError, with production up in either form.

    `may_begin` is asked once the lease is held and nothing is touched yet; its sentence is why it may not.
    `ended` is told the outcome of what it let begin, while the lease is held still.
    """
    lease = Lease.take(new.place, LEASE, take_over=True)
    if isinstance(lease, LeaseHeld):
        return NotDeployed(lease.sentence, touched=False)
    with lease:
        host = await claimed_host(new.place, new.target, Claim(LEASE, take_over=True))
        if isinstance(host, LeaseHeld):
            return NotDeployed(host.sentence, touched=False)
        occasion = Occasion(new.target, "harness", new.deployment, new.accepted)
        bench = Bench(host, new.place, new.workspace, ledger, occasion, wanted=True)
        try:
            if said := await may_begin():
                return NotDeployed(said, touched=False)
            outcome = await _deploy(new, bench, tell)
            ended(outcome)
            return outcome
        finally:
            await bench.close()


async def which_baseline(workspace: Path, target: Target) -> str:
    """In words, which of two baselines production runs: what the target's files say now, or what it was before."""
    async with onlooker(state_dir(workspace, target), target) as looking:
        return _which(target, await looking.production())


def runs_new(target: Target, production: Production) -> bool:
    """Whether production runs as the target's files say now, and for good."""
    told = production.started_as is not None and not differences(target, production.started_as)
    return production.held is not None and told and production.former is None


def _which(target: Target, production: Production) -> str:
    if production.held is None:
        return f"{target.name} does not run"
    if runs_new(target, production):
        return f"{target.name} runs the baseline that its files say now"
    if production.former is not None:
        return f"{target.name} runs a new baseline that is on probation; the former one comes back unless it is kept"
    said = "; ".join(differences(target, production.started_as)) or "how it was started is not on record"
    return f"{target.name} runs the baseline from before its files were changed ({said})"


async def _deploy(new: NewBaseline, bench: Bench, tell: Callable[[str], None]) -> Deployed | NotDeployed:
    name, production = new.target.name, await bench.host.production()
    if production.held is None:
        said = f"production of {name!r} does not run, so there is nothing to go back to; 'harness start {name}' first"
        return NotDeployed(said, touched=False, up=False)
    if runs_new(new.target, production):
        trouble = await prove_production(bench.host, new.target)
        said = f"{name} runs this baseline already: pid {production.held.pid}"
        return NotDeployed(trouble, touched=False, up=False) if trouble else Deployed(said, 0.0)
    await record_as_it_runs(bench.host)
    lacking = await absent(new.target, (), bench.host, bench.cwd)
    if lacking := lacking or await gone(new.target, production.started_as, bench.host):
        return NotDeployed(f"{lacking}; production was not touched", touched=False)
    await bench.host.begin(new.deployment)
    return await _replaced(new, bench, tell)


async def _replaced(new: NewBaseline, bench: Bench, tell: Callable[[str], None]) -> Deployed | NotDeployed:
    began, trouble = time.monotonic(), ""
    back: Held | Down | None = None
    try:
        trouble = await _tried(new, bench.host, bench, tell)
    except asyncio.CancelledError:
        trouble = BY_A_PERSON
    except GuardianError as error:
        trouble = str(error)
    finally:  # also for a bug, and for a ledger that cannot be written: production first
        if trouble:
            tell(f"{trouble}; the former baseline is put back")
        back = await certainly(_settled(bench, keep=not trouble), object)  # how it ended goes on record
    away_s = time.monotonic() - began
    if isinstance(back, Down):
        return NotDeployed(f"{trouble}; {back.sentence}" if trouble else back.sentence, True, False, away_s)
    if runs_new(new.target, await bench.host.production()):
        return Deployed(f"{new.target.name} is up with the new baseline: pid {back.pid}", away_s)
    said = f"{trouble or 'it was not kept'}; the former baseline is production again: pid {back.pid}"
    return NotDeployed(said, True, True, away_s)


async def _tried(new: NewBaseline, host: Host, bench: Bench, tell: Callable[[str], None]) -> str:
    """Start the new one on probation and keep it if it holds; else why it does not."""
    await host.try_production(production_spec(new.target, host.home or new.workspace))
    tell("production is taken down")
    await take_down(host, bench.ledger, bench.occasion)
    tell("the new baseline is started")
    outcome = await host.bring_back()
    if isinstance(outcome, NotStarted):
        return f"the new baseline did not come up: {outcome.detail}"
    tell("it is up; its gates are checked")
    gates = await production_gates(host, new.target)
    if refused := [gate for gate in gates if not gate.passed]:
        return f"the new baseline does not pass gate {refused[0].gate} ({refused[0].evidence})"
    seen = await attest(new.target, new.place, new.recorded)
    if not seen.as_described:
        return f"the new baseline is not as its arm was attested ({'; '.join(seen.drift) or seen.sentence})"
    tell("it holds")
    await host.settle_production(keep=True)
    tell("it is kept")
    return ""


async def _settled(bench: Bench, *, keep: bool) -> Held | Down:
    """Production up and proven, and on record: the new one if it was kept, else the former one."""
    if not keep:
        with suppress(GuardianError):  # one that is gone has put it back, or its successor does
            await bench.host.settle_production(keep=False)
    return await bench.restore()
