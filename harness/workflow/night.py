"""A run that nobody watches: it waits for its window and for users, measures, and gives production back in time.

It decides only when; what is measured and how production comes back is `Measurement`'s. Resumable at every point.
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from harness import lease, procfs
from harness.vocabulary.base import BadFileError
from harness.vocabulary.outcome import Reason
from harness.workflow.admitted import launchable
from harness.workflow.conclude import Conclusion
from harness.workflow.design import most_launches, screen_blocks
from harness.workflow.drain import Kept, Politeness, users_gone
from harness.workflow.events import EventKind, MeasureEvent
from harness.workflow.measure import Measurement, NotMeasured
from harness.workflow.order import Order
from harness.workflow.plan import expected_downtime_s
from harness.workflow.production import state_dir
from harness.workflow.run_files import RunFiles, Wish
from harness.workflow.turn import Turn, next_turn
from harness.workflow.window import LATE, Cost, WallClock, Window, at_clock, local_minute
from ledger.entries import Launch, MeasuringRun

POLL_S = 1.0  # how soon a wish to stop is heard, and how exactly a window's end is kept
RETRY_S = 60.0  # users, or another measurement, may be gone a minute later
ASKED_S = 30.0  # users that were seen to be gone so short ago are not counted again
BY_A_PERSON = "stopped by a person; finished blocks are kept, start the same order to go on"


@dataclass(frozen=True)
class Hours:
    """When production may be away."""

    window: Window | None = None  # none: at any time
    once: bool = False  # end after the first window in which it measured
    clock: WallClock = local_minute
    now: Callable[[], float] = time.time
    passed: Callable[[], float] = time.monotonic  # a machine that sleeps does not work meanwhile
    retry_s: float = RETRY_S

    @classmethod
    def of(cls, window: str, once: bool) -> "Hours":
        """As a person wrote them; an empty window is none. Raises BadFileError."""
        if once and not window:
            raise BadFileError("--once ends a run with its window; name one with --window, or leave --once away")
        return cls(Window.parse(window) if window else None, once)

    def shut_s(self) -> float:
        """Seconds until the window opens."""
        return self.window.seconds_shut(self.now(), self.clock) if self.window else 0.0

    def open_s(self) -> float:
        """Seconds until the window closes; without end where there is none."""
        return self.window.seconds_open(self.now(), self.clock) if self.window else float("inf")


def cost_of(order: Order) -> Cost:
    """What an order costs production, from the target's planning figures."""
    criteria, arms, return_s = order.criteria, len(order.arms), order.target.planning.start_s
    whole_s = expected_downtime_s(order) - return_s
    launch_s = whole_s / most_launches(criteria, arms)
    teardown = order.target.teardown
    return Cost(
        block_s=launch_s * (arms + 2),
        return_s=return_s,
        blocks=screen_blocks(criteria) + criteria.blocks,
        whole_s=whole_s,
        teardown_s=teardown.grace_s + teardown.memory_timeout_s,
    )


@dataclass
class Night:
    """One order, measured in as many windows as it takes. `run()` does everything."""

    measurement: Measurement
    files: RunFiles
    hours: Hours = field(default_factory=Hours)
    politeness: Politeness = field(default_factory=Politeness)
    _paused: str = field(default="", init=False)  # why the latest session was ended from here; empty: it was not
    _told: MeasureEvent | None = field(default=None, init=False)
    _waits_for: str = field(default="", init=False)
    _asked_at: float = field(default=0.0, init=False)  # monotonic; when users were last seen to be gone
    _began_at: float | None = field(default=None, init=False)  # by `hours.passed`; when the block that runs was begun
    _start_s: float = field(default=0.0, init=False)  # the longest start of a control of this run
    _at_least_s: float = field(default=0.0, init=False)  # for so long a block ran that the window broke off

    async def run(self) -> Conclusion | NotMeasured:
        """Measure to the verdicts, or to a sentence that says why not."""
        self.measurement.pace.recall(self.measurement.ledger, self.order.run)
        self._learn()
        while True:
            if (refusal := await self._begin()) is not None:
                self._say("end", refusal.sentence)
                return refusal
            outcome = await self._session()
            if not self._goes_on:
                return outcome

    @property
    def order(self) -> Order:
        """What is measured."""
        return self.measurement.order

    def _paced(self) -> Cost:
        """What the next block costs: by this run's own launches, before the first of them by the planning figures."""
        cost, launch_s, turn = self.cost, self.measurement.pace.launch_s, self._next()
        launches = len(turn.slots) if turn else len(self.order.arms) + 2
        planned_s = cost.block_s * launches / (len(self.order.arms) + 2)
        return replace(cost, block_s=max(launch_s * launches if launch_s else planned_s, self._at_least_s))

    def _unfit(self, cost: Cost) -> NotMeasured | None:
        """The end of a run of which no window has room for another block; waiting for the next one would not help."""
        window = self.hours.window
        said = cost.refusal(window, "by this run's own launches") if window else None
        if said is None:
            return None
        return NotMeasured(Reason.WINDOW_TOO_SHORT, f"{said}; production was left alone, finished blocks are kept")

    @property
    def _launches(self) -> int:
        return most_launches(self.order.criteria, len(self.order.arms))

    @property
    def cost(self) -> Cost:
        """What it costs production, by starts that were seen where they took longer than planned."""
        cost = cost_of(self.order)
        return replace(cost, return_s=max(cost.return_s, self._start_s))

    def _learn(self) -> None:
        """Production starts as the controls of this run do."""
        launches = [launch for _, launch in self.measurement.ledger.of(Launch, run=self.order.run)]
        seen = [launch.ready_s for launch in launches if launch.arm is None and launch.ready_s is not None]
        self._start_s = max([self._start_s, *seen])

    @property
    def _goes_on(self) -> bool:
        """Whether a session that was ended from here is followed by another one."""
        if not self._paused:
            return False
        more = self.hours.window is not None and not self.hours.once and self.files.wish() is None
        return more or self._all_blocks_stand()  # what is left then are verdicts, and they take nobody's server away

    async def _begin(self) -> NotMeasured | None:
        """Return when production may be taken down now; a sentence where that is not to be waited for."""
        self._waits_for = ""
        while not self._all_blocks_stand():
            await asyncio.sleep(0)  # nobody is kept from a word by looks that have nothing to wait for
            if self.files.wish() is not None:
                return NotMeasured(Reason.INTERRUPTED, BY_A_PERSON)
            away_s = (cost := self._paced()).away_s
            if (unfit := self._unfit(cost)) is not None:
                return unfit
            if (shut_s := self.hours.shut_s()) > 0:
                await self._wait(shut_s, f"production is left alone until {at_clock(self.hours.now() + shut_s)}")
            elif (open_s := self.hours.open_s()) < away_s:
                await self._wait(
                    open_s, f"too little is left of {self.hours.window} for a block; the next one is taken"
                )
            elif (kept := await self._kept_by_others()) is None:
                if self.hours.open_s() >= away_s:  # a drain may have taken long
                    self._asked_at = time.monotonic()
                    return None
            elif self.hours.window is None or kept.final:
                return NotMeasured(Reason.INTERRUPTED, kept.sentence)
            else:
                await self._wait(self.hours.retry_s, kept.sentence)
        return None

    async def _kept_by_others(self) -> Kept | None:
        place = state_dir(self.measurement.workspace, self.order.target)
        holder = lease.read(place) if self.hours.window else None  # without one the measurement itself says who it is
        if holder and holder.run != self.order.run and procfs.same(holder.pid, holder.start_time):
            return Kept(f"{self.order.target.name!r} is being measured by {holder.owner} for run {holder.run!r}")
        return await users_gone(self.order.target, place, self.politeness, self._waiting)

    async def _session(self) -> Conclusion | NotMeasured:
        """One stretch of blocks, ended by its own end, by a wish, or by the window; production is back afterwards."""
        self._paused = ""
        work = replace(self.measurement, tell=self._pass_on, may_begin=self._may_begin, may_stop=self._may_stop)
        task = asyncio.ensure_future(work.run())
        while not task.done():
            try:
                await asyncio.wait({task}, timeout=POLL_S)
            except asyncio.CancelledError:
                self._paused = ""  # a window that closes just now ends the session only, a person the run
                task.cancel()  # by a person: the measurement brings production back and says so
            if not task.done() and not task.cancelling() and (why := self._must_end()):
                self._paused = why
                task.cancel()
        if task.cancelled() and self._paused:  # it was already bringing production back, and did, without a last word
            self._say("waiting" if self._goes_on else "end", self._paused)
            return NotMeasured(Reason.INTERRUPTED, self._paused)
        result = task.result()
        if self._paused and isinstance(result, NotMeasured) and result.reason is Reason.INTERRUPTED:
            return replace(result, sentence=self._paused)  # the window or a wish broke it off, no person at a terminal
        return result

    async def _may_stop(self) -> str | None:
        """Asked right before production stops: what was built meanwhile may have taken long, and users may be back."""
        if time.monotonic() - self._asked_at < ASKED_S:
            return None
        kept = await self._kept_by_others()
        self._paused = kept.sentence if kept else ""
        return self._paused or None

    def _may_begin(self, expected_block_s: float) -> str | None:
        """Asked before each block."""
        self._began_at = self.hours.passed()
        self._learn()
        if self.files.wish() is not None:
            self._paused = BY_A_PERSON
        elif self.hours.open_s() < max(expected_block_s, self._at_least_s) * LATE + self.cost.hold_back_s:
            self._paused = (
                f"the window {self.hours.window} closes before another block would end; finished blocks are kept"
            )
        return self._paused or None

    def _must_end(self) -> str:
        """Why a block must be broken off."""
        if self.files.wish() is Wish.NOW:
            return BY_A_PERSON
        if self.hours.open_s() <= self.cost.hold_back_s:
            if self._began_at is not None:
                self._at_least_s = max(self._at_least_s, self.hours.passed() - self._began_at)
            return f"the window {self.hours.window} closes; the block that ran is discarded, finished blocks are kept"
        return ""

    def _plan(self) -> MeasuringRun | None:
        return next((plan for _, plan in self.measurement.ledger.of(MeasuringRun, run=self.order.run)), None)

    def _next(self) -> Turn | None:
        """The block that is next; none before the plan is on record, and after the last block."""
        ledger, plan = self.measurement.ledger, self._plan()
        return next_turn(ledger, plan, launchable(ledger, plan, self.order.target)) if plan else None

    def _all_blocks_stand(self) -> bool:
        """Whether nothing is left to launch; verdicts may be."""
        return self._plan() is not None and self._next() is None

    async def _wait(self, seconds: float, why: str) -> None:
        """Sleep, at most until there is a wish; the wall clock is asked again afterwards, since machines sleep too."""
        self._waiting(why)
        end = time.monotonic() + min(seconds, self.hours.retry_s)
        while self.files.wish() is None and (left_s := end - time.monotonic()) > 0:  # noqa: ASYNC110 - a wish is a file
            await asyncio.sleep(min(POLL_S, left_s))

    def _waiting(self, why: str) -> None:
        if why != self._waits_for:
            self._waits_for = why
            self._say("waiting", why)

    def _pass_on(self, event: MeasureEvent) -> None:
        """The end of a session is not the end of a run that goes on."""
        self._told = replace(event, what="waiting") if event.what == "end" and self._goes_on else event
        self.measurement.tell(self._told)

    def _say(self, what: EventKind, text: str) -> None:
        before = self._told or MeasureEvent(what, self.order.run, text, 0, self._launches, None)
        self._told = replace(before, what=what, text=text)
        self.measurement.tell(self._told)
