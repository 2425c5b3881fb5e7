"""The blocks of a measuring run: which is next, whether it may begin, and each of its launches in the planned order.

A block whose control fails or whose guardian is lost is discarded whole. Nothing is decided about any arm here.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from harness.hosts.local import GuardianError
from harness.planning.alike import Ending, three_alike
from harness.vocabulary.arm import Arm
from harness.vocabulary.outcome import DISTURBED, LASTING, Reason, Role
from harness.workflow.bench import Bench
from harness.workflow.changed import run_changed
from harness.workflow.design import most_launches
from harness.workflow.events import EventKind
from harness.workflow.launch_values import LaunchEvent, LaunchOutcome, LaunchRequest
from harness.workflow.order import Order
from harness.workflow.record import record_launch
from harness.workflow.turn import Turn, next_turn
from ledger.entries import Launch, MeasuringRun
from ledger.store import Ledger

MAX_BLOCK_TRIES = 3  # a block is repeated whole after a lost guardian or a failed control; more hides a sick machine


@dataclass(frozen=True)
class NotMeasured:
    """The run did not come to verdicts; the sentence says what happened and what to do."""

    reason: Reason
    sentence: str


@dataclass(frozen=True)
class Broken:
    """A block that cannot be used, and why."""

    sentence: str
    lasting: bool = False  # trying again changes nothing


@dataclass(frozen=True)
class Planned:
    """The plan and its arms by fingerprint, read back once: every launch of a run is of the same definitions."""

    plan: MeasuringRun
    arms: Mapping[str, Arm]


@dataclass
class Pace:
    """Launches done and how long they took, for the time left. The only thing that changes during a run."""

    total: int
    done: int = 0
    timed: int = 0
    seconds: float = 0.0

    def count(self, seconds: float) -> None:
        """One launch more."""
        self.done, self.timed, self.seconds = self.done + 1, self.timed + 1, self.seconds + seconds

    def recall(self, ledger: Ledger, run: str) -> None:
        """Begin with what earlier starts of the run took for a launch, unless this one has launched already."""
        if not self.timed:
            took_s = [launch.took_s for _, launch in ledger.of(Launch, run=run) if launch.took_s is not None]
            self.timed, self.seconds = len(took_s), sum(took_s)

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
class BlockLoop:
    """The blocks of one run on one bench, in order; finished ones are skipped, broken ones repeated whole."""

    planned: Planned
    order: Order
    workspace: Path
    ledger: Ledger
    bench: Bench
    pace: Pace
    may_begin: Callable[[float], str | None]
    say: Callable[[EventKind, str], None]
    phase: Callable[[LaunchEvent], None]
    endings: list[Ending] = field(default_factory=list)  # of this start, in order

    async def run(self) -> NotMeasured | None:
        """Launch what is left of the plan; none if nothing is left to launch."""
        plan, arms = self.planned.plan, self.planned.arms
        stood: int | None = None  # looks that an earlier start has taken stand; they are said once more, and as that
        told = 0
        for _ in range(plan.blocks):
            turn = next_turn(self.ledger, plan, arms)
            if turn is None:
                return None
            stood = len(turn.notes) if stood is None else stood
            for number, note in enumerate(turn.notes[told:], start=told):
                self.say("look", f"stands from before: {note}" if number < stood else note)
            told = len(turn.notes)
            self.pace.done, self.pace.total = turn.done, turn.done + turn.left
            if trouble := await self._until_whole(turn):
                return trouble
        return None

    async def _until_whole(self, turn: Turn) -> NotMeasured | None:
        """Try the block until it is whole; why it never was, or none."""
        first, trouble = turn.tries + 1, None
        for attempt in range(first, first + MAX_BLOCK_TRIES):
            if refusal := self.may_begin(self._block_s(turn)):
                return NotMeasured(Reason.INTERRUPTED, refusal)
            if attempt == first and (alike := three_alike(self.endings)):
                return NotMeasured(Reason.THREE_ALIKE, alike)
            trouble = await self._guarded_block(turn, attempt, whole=attempt == first + MAX_BLOCK_TRIES - 1)
            if trouble is None:
                return None
            if trouble.lasting:
                return NotMeasured(Reason.START_REFUSED, trouble.sentence)
            self.say("block_broken", f"block {turn.block + 1} is discarded whole: {trouble.sentence}")
        why = trouble.sentence if trouble else ""
        return NotMeasured(
            Reason.BASELINE_INVALID,
            f"block {turn.block + 1} broke {MAX_BLOCK_TRIES} times ({why}); look at the launches' logs",
        )

    def _block_s(self, turn: Turn) -> float:
        """Expected seconds of one block: from this run's own launches, else from the target's planning figures."""
        plan = self.planned.plan
        most = most_launches(self.order.criteria, len(plan.arms))
        planned_s = (plan.downtime_s - self.order.target.planning.start_s) / max(1, most)
        return (self.pace.launch_s or planned_s) * len(turn.slots)

    async def _guarded_block(self, turn: Turn, attempt: int, *, whole: bool) -> Broken | None:
        before = self.pace.done
        try:
            trouble = await self._block(turn, attempt, whole=whole)
        except GuardianError as error:
            trouble = Broken(f"the guardian was lost ({error})")
            await self.bench.reopen()
        if trouble is not None:
            self.pace.done = before
        return trouble

    async def _block(self, turn: Turn, attempt: int, *, whole: bool) -> Broken | None:
        """Why the block is broken, or none. With `whole` every launch is made all the same: if the arms fail like the
        control, the input is wrong and not the arms (lesson A3)."""
        plan, arms, block = self.planned.plan, self.planned.arms, turn.block
        trouble: Broken | None = None
        for slot in turn.slots:
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
                cwd=self.bench.cwd,
            )
            began = time.monotonic()
            name = request.arm.name if request.arm else role.value
            self.say("launch", f"block {block + 1}/{plan.blocks}: {name}")
            outcome = await run_changed(
                request, self.order.target, self.order.criteria, self.bench.host, tuple(arms.values()), self.phase
            )
            record_launch(self.ledger, outcome)
            self.endings.append(Ending(name, slot.arm, outcome.reason))
            self.pace.count(time.monotonic() - began)
            self.say("launch_done", f"block {block + 1}/{plan.blocks}: {name}: {outcome.sentence}")
            if outcome.reason in DISTURBED or (role is not Role.ARM and not outcome.usable):
                trouble = self._broken_by(name, role, outcome)
                if trouble.lasting or not whole:
                    break
            if not outcome.memory_returned:
                return Broken(
                    f"the machine's memory did not come back after {name}, so the next launch would not be comparable"
                )
        return trouble

    def _broken_by(self, name: str, role: Role, outcome: LaunchOutcome) -> Broken:
        """A control that its files, its flags or this machine do not let start fails the same way every time."""
        never = outcome.launch.pid is None or (outcome.launch.ready_s is None and outcome.reason in LASTING)
        if role is Role.ARM or not never:
            return Broken(f"{name} carries no number ({outcome.sentence})")
        return Broken(
            f"the {name} of {self.order.target.name!r} cannot start, and trying again changes nothing: "
            f"{outcome.reason}: {outcome.launch.detail}; put right what it names on the machine, and this order "
            f"goes on (finished blocks are kept); {self.order.copies}",
            lasting=True,
        )
