"""A measuring run: lease, production down, blocks of launches, production back, verdicts. Resumes what it finds.

Whatever ends the run (a bug, Ctrl-C, a dead guardian), production is brought back first and the record kept.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from harness.gates.quiet import unread_limits
from harness.hosts.base import Held
from harness.hosts.looking import machine
from harness.lease import Lease, LeaseHeld
from harness.shortened import shortened
from harness.vocabulary.outcome import Reason
from harness.vocabulary.target import Quiet
from harness.workflow.admitted import launchable
from harness.workflow.bench import Bench
from harness.workflow.blocks import BlockLoop, NotMeasured, Pace, Planned, whenever
from harness.workflow.building import build_all
from harness.workflow.conclude import Conclusion, conclude
from harness.workflow.design import most_launches, plan_in_words
from harness.workflow.ending import certainly
from harness.workflow.events import EventKind, MeasureEvent
from harness.workflow.launch_values import LaunchEvent
from harness.workflow.order import Order
from harness.workflow.plan import commit_plan
from harness.workflow.production import Down, away_s, state_dir
from harness.workflow.script_edits import unfit_edits
from harness.workflow.turn import next_turn
from ledger.entries import RunEnd
from ledger.store import Ledger

AS_FOUND = "it is left as found: nothing is started after the run"
SHOWN = 100  # characters of a launch's phase beside the bar; the launch's entry holds them all
__all__ = ["Measurement", "NotMeasured", "whenever"]


async def always() -> str | None:
    """Production may be stopped."""
    return None


@dataclass(frozen=True)
class Measurement:
    """One order on one workspace. `run()` does everything.

    `may_begin` is asked before each block, with the seconds that it should take; a sentence ends the run there, its
    finished blocks kept and production back. `may_stop` is asked once more right before production stops.
    """

    order: Order
    workspace: Path
    ledger: Ledger
    tell: Callable[[MeasureEvent], None]
    take_over: bool = False
    pace: Pace = field(default_factory=lambda: Pace(0))
    may_begin: Callable[[float], str | None] = whenever
    may_stop: Callable[[], Awaitable[str | None]] = always

    async def run(self) -> Conclusion | NotMeasured:
        """Measure, or go on where an earlier start of the same order stopped."""
        place = state_dir(self.workspace, self.order.target)
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
        planned = Planned(plan, launchable(self.ledger, plan, self.order.target))
        self.pace.total = most_launches(self.order.criteria, len(plan.arms))
        self._say("plan", plan_in_words(self.order, plan))
        earlier_s, began = away_s(self.ledger, self.order.run), time.monotonic()
        outcome = await self._with_production_down(place, planned)
        downtime_s = earlier_s + time.monotonic() - began
        if outcome is not None and outcome.reason is not Reason.BASELINE_INVALID:
            self._say("end", outcome.sentence)  # no end on record: the same order goes on where this one stopped
            return outcome
        conclusion = conclude(self.ledger, plan, downtime_s)
        self._say("end", conclusion.verdict.sentence)
        return conclusion

    async def _with_production_down(self, place: Path, planned: Planned) -> NotMeasured | None:
        bench = await Bench.open(place, self.order, self.workspace, self.ledger, take_over=self.take_over)
        trouble: NotMeasured | None = None
        back: Held | Down | None = None
        try:
            # with nothing left to launch it was killed just before the end
            if next_turn(self.ledger, planned.plan, planned.arms) is not None:
                trouble = await self._built(bench) or await self._loop(bench, planned).run()
        except asyncio.CancelledError:
            trouble = NotMeasured(
                Reason.INTERRUPTED, "stopped by a person; finished blocks are kept, start the same order to go on"
            )
        finally:
            back = await certainly(self._give_back(bench), Down)
        return NotMeasured(Reason.HARNESS_LOST, back.sentence) if isinstance(back, Down) else trouble

    async def _built(self, bench: Bench) -> NotMeasured | None:
        """Everything that can be asked or made while production is up, which is taken down afterwards."""
        if (unfit := await unfit_edits(self.order, bench.host)) is not None:
            return NotMeasured(Reason.NOT_APPLIED, unfit)
        if (lacking := await bench.lacking([item.arm for item in self.order.arms])) is not None:
            return NotMeasured(Reason.START_REFUSED, f"{lacking}; {self.order.copies}; production was not touched")
        if (unread := await self._unread(bench)) is not None:
            return NotMeasured(Reason.QUIET_UNREAD, unread)
        said = await build_all(self.order, bench.host, self.ledger, lambda text: self._say("phase", text))
        if said is not None:
            return NotMeasured(Reason.BUILD_FAILED, said)
        if (refusal := await self.may_stop()) is not None:
            return NotMeasured(Reason.INTERRUPTED, refusal)
        await self._clear(bench)
        return None

    async def _unread(self, bench: Bench) -> str | None:
        """A sentence where the target limits what this machine does not tell: every launch would be void."""
        quiet = self.order.target.quiet
        if quiet == Quiet():
            return None
        reading = await machine(bench.host, None)
        said = "; ".join(unread_limits(quiet, reading, reading))
        todo = f"make it known or take the limit out of [quiet]; {self.order.copies}; production was not touched"
        return f"{said}; {todo}" if said else None

    async def _clear(self, bench: Bench) -> None:
        if bench.drift:
            drift = "; ".join(bench.drift)
            self._say("production", f"production comes back as it runs now, not as its file says ({drift})")
        self._say(
            "production", "production is taken down" if bench.wanted else f"production was not running; {AS_FOUND}"
        )
        await bench.clear()

    async def _give_back(self, bench: Bench) -> Held | Down | None:
        """Production back and proven, then the guardian's switch disarmed; nothing said or recorded is in the way."""
        try:
            if not bench.wanted:
                return None
            self._say("production", "bringing production back")
            back = await bench.restore()
            said = "production is NOT back" if isinstance(back, Down) else f"production is up, pid {back.pid}"
            self._say("production", said)  # why not is the run's last sentence, said once
            return back
        finally:
            await bench.close()

    def _loop(self, bench: Bench, planned: Planned) -> BlockLoop:
        return BlockLoop(
            planned=planned,
            order=self.order,
            workspace=self.workspace,
            ledger=self.ledger,
            bench=bench,
            pace=self.pace,
            may_begin=self.may_begin,
            say=self._say,
            phase=self._phase,
        )

    def _phase(self, event: LaunchEvent) -> None:
        self._say("phase", shortened(f"{event.phase} {event.detail}", SHOWN))

    def _say(self, what: EventKind, text: str) -> None:
        pace = self.pace
        with suppress(OSError):  # a full disk or a closed pipe: events inform, and nothing waits for them
            self.tell(MeasureEvent(what, self.order.run, text, pace.done, pace.total, pace.seconds_left()))
