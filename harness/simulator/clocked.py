"""The scheduler driven by the clock: virtual seconds are real ones divided by the time scale. Counts what it does."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from harness.simulator.faults import Fault, Faults
from harness.simulator.scheduler import Emission, Job, Scheduler
from harness.simulator.style import Counted

RESET_AFTER = 5  # requests after which the fault counters-reset starts from zero


@dataclass
class _Flight:
    """One request in the engine and who is told about its tokens."""

    job: Job
    tell: Callable[[Emission], None]
    first: bool = True


@dataclass
class ClockedEngine:
    """Runs a scheduler in real time; `died` is called once when an execution timeout ends it."""

    scheduler: Scheduler
    scale: float
    faults: Faults
    died: Callable[[], None]
    counted: Counted = field(default_factory=Counted)
    hanging: bool = False  # no more tokens
    reset: bool = False  # whether the fault counters-reset has had its time
    _flights: dict[int, _Flight] = field(default_factory=dict)
    _began: float = field(default_factory=time.monotonic)
    _timer: asyncio.TimerHandle | None = None
    _numbers: int = 0

    def now(self) -> float:
        """Virtual seconds since the start."""
        return (time.monotonic() - self._began) / self.scale

    def real(self, virtual: float) -> float:
        """The moment of the monotonic clock that a virtual time falls on."""
        return self._began + virtual * self.scale

    def submit(self, job: Job, tell: Callable[[Emission], None]) -> None:
        """A request enters."""
        self._advance()  # what was ready before it came did not know of it
        self._flights[job.number] = _Flight(job, tell)
        self.scheduler.submit(job, self.now())
        self._gauges()
        self._schedule()

    def next_number(self) -> int:
        """A number for a new request."""
        self._numbers += 1
        return self._numbers

    def cancel(self, number: int) -> None:
        """The client has gone away."""
        if self._flights.pop(number, None) is not None:
            self.scheduler.cancel(number)
            self.counted.aborted += 1
            self._gauges()
            self._schedule()

    def go_on(self) -> None:
        """Tokens again."""
        self.hanging = False
        self._schedule()

    def _schedule(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        at = self.scheduler.next_at()
        if at is not None and not self.hanging:
            self._timer = asyncio.get_running_loop().call_at(self.real(at), self._wake)

    def _wake(self) -> None:
        self._timer = None
        self._advance()
        self._gauges()
        if self.scheduler.dead_at is not None:
            self.died()
        self._schedule()

    def _advance(self) -> None:
        if not self.hanging:
            for said in self.scheduler.advance(self.now()):
                self._count(said)

    def _count(self, said: Emission) -> None:
        flight = self._flights.get(said.number)
        if flight is None:
            return
        counted, job = self.counted, flight.job
        if flight.first:
            flight.first = False
            counted.prompt_tokens += job.prompt_tokens
            counted.cache_queries += job.prompt_tokens
            counted.cache_hits += job.cached
            counted.ttft_sum_s += said.at - job.arrived
            counted.prompt_s += said.at - job.arrived
        counted.generated_tokens += said.tokens
        if said.done:
            counted.finished += 1
            counted.stopped += flight.job.stops
            del self._flights[said.number]
        flight.tell(said)
        if said.done and Fault.COUNTERS_RESET in self.faults and counted.finished == RESET_AFTER and not self.reset:
            self.counted, self.reset = Counted(), True

    def _gauges(self) -> None:
        engine, counted = self.scheduler, self.counted
        counted.running, counted.waiting = len(engine.running), len(engine.waiting)
        used = sum(job.prompt_tokens + job.produced for job in engine.running)
        counted.kv_share = used / engine.limits.kv_tokens if engine.limits.kv_tokens else 0.0
        counted.decode_calls = engine.decodes
        counted.drafts = engine.drafted // engine.pace.drafting.tokens if engine.pace.drafting.tokens else 0
        counted.drafted, counted.accepted = engine.drafted, engine.accepted
