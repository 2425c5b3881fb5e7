"""A measuring run: lease, production down, blocks of launches, production back, verdicts. Resumes what it finds.

Whatever ends the run (a bug, Ctrl-C, a dead guardian), production is brought back first and the record kept.
"""

import asyncio
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from harness.hosts.base import Held
from harness.hosts.local import GuardianError
from harness.lease import Lease, LeaseHeld
from harness.vocabulary.arm import Arm
from harness.vocabulary.outcome import Reason, Role
from harness.workflow.admitted import launchable
from harness.workflow.bench import Bench
from harness.workflow.conclude import Conclusion, conclude
from harness.workflow.ending import certainly
from harness.workflow.events import EventKind, MeasureEvent
from harness.workflow.launch import run_launch
from harness.workflow.launch_values import LaunchEvent, LaunchRequest
from harness.workflow.order import Order
from harness.workflow.plan import commit_plan, progress_of, slots_of
from harness.workflow.production import Down, state_dir
from harness.workflow.record import record_launch
from ledger.entries import MeasuringRun, RunEnd
from ledger.store import Ledger

MAX_BLOCK_TRIES = 3  # a block is repeated whole after a lost guardian or a failed control; more hides a sick machine


@dataclass(frozen=True)
class NotMeasured:
    """The run did not come to verdicts; the sentence says what happened and what to do."""

    reason: Reason
    sentence: str


@dataclass(frozen=True)
class _Planned:
    """The plan and its arms by fingerprint, read back once: every launch of a run is of the same definitions."""

    plan: MeasuringRun
    arms: Mapping[str, Arm]


@dataclass
class _Pace:
    """Launches done and how long they took, for the time left. The only thing that changes during a run."""

    total: int
    done: int = 0
    timed: int = 0
    seconds: float = 0.0

    def count(self, seconds: float) -> None:
        """One launch more."""
        self.done, self.timed, self.seconds = self.done + 1, self.timed + 1, self.seconds + seconds

    @property
    def launch_s(self) -> float | None:
        """Mean seconds of one launch, none before the first."""
        return self.seconds / self.timed if self.timed else None

    def seconds_left(self) -> float | None:
        """Expected seconds until the last launch, none before the first."""
        return None if self.launch_s is None else self.launch_s * (self.total - self.done)


def whenever(expected_block_s: float) -> str | None:
    """A block may begin at any time."""
    return None


@dataclass(frozen=True)
class Measurement:
    """One order on one workspace. `run()` does everything.

    `may_begin` is asked before each block, with the seconds that it should take; a sentence ends the run there, its
    finished blocks kept and production back.
    """

    order: Order
    workspace: Path
    ledger: Ledger
    tell: Callable[[MeasureEvent], None]
    take_over: bool = False
    pace: _Pace = field(default_factory=lambda: _Pace(0))
    may_begin: Callable[[float], str | None] = whenever

    async def run(self) -> Conclusion | NotMeasured:
        """Measure, or go on where an earlier start of the same order stopped."""
        place = state_dir(self.workspace, self.order.target)
        place.mkdir(parents=True, exist_ok=True)
        lease = Lease.take(place, self.order.run, take_over=self.take_over)
        if isinstance(lease, LeaseHeld):
            return NotMeasured(Reason.INTERRUPTED, lease.sentence)
        try:
            return await self._under_lease(place)
        finally:
            lease.release()

    async def _under_lease(self, place: Path) -> Conclusion | NotMeasured:
        for _, end in self.ledger.of(RunEnd, run=self.order.run):
            return NotMeasured(Reason.INTERRUPTED, f"run {self.order.run} ended before ({end.detail}); order a new one")
        plan = commit_plan(self.ledger, self.order)
        planned = _Planned(plan, launchable(self.ledger, plan, self.order.target))
        self.pace.total = len(plan.slots)
        self._say("plan", f"{plan.blocks} blocks, {len(plan.slots)} launches, about {plan.downtime_s / 60:.1f} minutes")
        began = time.monotonic()
        outcome = await self._with_production_down(place, planned)
        downtime_s = time.monotonic() - began
        if outcome is not None and outcome.reason is not Reason.BASELINE_INVALID:
            self._say("end", outcome.sentence)  # no end on record: the same order goes on where this one stopped
            return outcome
        conclusion = conclude(self.ledger, plan, downtime_s)
        self._say("end", conclusion.verdict.sentence)
        return conclusion

    async def _with_production_down(self, place: Path, planned: _Planned) -> NotMeasured | None:
        bench = await Bench.open(place, self.order, self.workspace, self.ledger)
        trouble: NotMeasured | None = None
        back: Held | Down | None = None
        try:
            if (
                len(progress_of(self.ledger, planned.plan).finished) < planned.plan.blocks
            ):  # else it was killed just before the end
                await self._clear(bench)
                trouble = await self._blocks(bench, planned)
        except asyncio.CancelledError:
            trouble = NotMeasured(
                Reason.INTERRUPTED, "stopped by a person; finished blocks are kept, start the same order to go on"
            )
        finally:
            back = await certainly(self._give_back(bench))
        return NotMeasured(Reason.HARNESS_LOST, back.sentence) if isinstance(back, Down) else trouble

    async def _clear(self, bench: Bench) -> None:
        if bench.drift:
            drift = "; ".join(bench.drift)
            self._say("production", f"production comes back as it runs now, not as its file says ({drift})")
        self._say("production", "production is taken down" if bench.wanted else "production was not running")
        await bench.clear()

    async def _give_back(self, bench: Bench) -> Held | Down | None:
        """Production back and proven, then the guardian's switch disarmed; nothing said or recorded is in the way."""
        try:
            if not bench.wanted:
                return None
            self._say("production", "bringing production back")
            back = await bench.restore()
            self._say("production", back.sentence if isinstance(back, Down) else f"production is up, pid {back.pid}")
            return back
        finally:
            await bench.close()

    async def _blocks(self, bench: Bench, planned: _Planned) -> NotMeasured | None:
        plan = planned.plan
        progress = progress_of(self.ledger, plan)
        self.pace.done = len(progress.finished) * len(slots_of(plan, 0))
        for block in range(plan.blocks):
            if block in progress.finished:
                continue
            first = progress.tries.get(block, 0) + 1
            for attempt in range(first, first + MAX_BLOCK_TRIES):
                if refusal := self.may_begin(self._block_s(plan)):
                    return NotMeasured(Reason.INTERRUPTED, refusal)
                last = attempt == first + MAX_BLOCK_TRIES - 1
                trouble = await self._guarded_block(bench, planned, block, attempt, whole=last)
                if trouble is None:
                    break
                self._say("block_broken", f"block {block + 1} is discarded whole: {trouble}")
            else:
                return NotMeasured(
                    Reason.BASELINE_INVALID,
                    f"block {block + 1} broke {MAX_BLOCK_TRIES} times ({trouble}); look at the launches' logs",
                )
        return None

    def _block_s(self, plan: MeasuringRun) -> float:
        """Expected seconds of one block: from this run's own launches, else from the target's planning figures."""
        planned_s = (plan.downtime_s - self.order.target.planning.start_s) / max(1, len(plan.slots))
        return (self.pace.launch_s or planned_s) * len(slots_of(plan, 0))

    async def _guarded_block(
        self, bench: Bench, planned: _Planned, block: int, attempt: int, *, whole: bool
    ) -> str | None:
        before = self.pace.done
        try:
            trouble = await self._block(bench, planned, block, attempt, whole=whole)
        except GuardianError as error:
            trouble = f"the guardian was lost ({error})"
            await bench.reopen()
        if trouble is not None:
            self.pace.done = before
        return trouble

    async def _block(self, bench: Bench, planned: _Planned, block: int, attempt: int, *, whole: bool) -> str | None:
        """Why the block is broken, or none. With `whole` every launch is made all the same: if the arms fail like the
        control, the input is wrong and not the arms (lesson A3)."""
        plan, arms = planned.plan, planned.arms
        trouble: str | None = None
        for slot in slots_of(plan, block):
            role = Role(slot.role)
            request = LaunchRequest(
                launch=f"{plan.run}.b{block}.t{attempt}.p{slot.position}",
                run=plan.run,
                block=block,
                attempt=attempt,
                position=slot.position,
                role=role,
                arm=arms[slot.arm] if slot.arm else None,
                prompt_seed=plan.seed + block,
                cwd=self.workspace,
            )
            began = time.monotonic()
            name = request.arm.name if request.arm else role.value
            self._say("launch", f"block {block + 1}/{plan.blocks}: {name}")
            outcome = await run_launch(
                request, self.order.target, self.order.criteria, bench.host, tuple(arms.values()), self._phase
            )
            record_launch(self.ledger, outcome)
            self.pace.count(time.monotonic() - began)
            self._say("launch_done", f"block {block + 1}/{plan.blocks}: {name}: {outcome.sentence}")
            if role is not Role.ARM and not outcome.usable:
                trouble = f"{name} carries no number ({outcome.sentence})"
                if not whole:
                    break
            if not outcome.memory_returned:
                return (
                    f"the machine's memory did not come back after {name}, so the next launch would not be comparable"
                )
        return trouble

    def _phase(self, event: LaunchEvent) -> None:
        self._say("phase", f"{event.phase} {event.detail}"[:100])

    def _say(self, what: EventKind, text: str) -> None:
        pace = self.pace
        with suppress(OSError):  # a full disk or a closed pipe: events inform, and nothing waits for them
            self.tell(MeasureEvent(what, self.order.run, text, pace.done, pace.total, pace.seconds_left()))
