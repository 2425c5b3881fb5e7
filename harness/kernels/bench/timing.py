"""One timed process of one arm: every timed shape, warm and cold, and what makes its times untrue.

Warm: as many input sets as half the last-level cache holds go round. Cold: all sets go round and lie far apart, or the
cache is emptied before every call, so what is read comes from memory.
"""

import os
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from harness.kernels.bench.arena import POISONS, Arena, Bytes
from harness.kernels.bench.ceilings import Ceilings
from harness.kernels.bench.drawing import Arrays, Drawn, alter
from harness.kernels.bench.layout import OUTPUTS, Layout, lay_out
from harness.kernels.bench.plan import Plan, PlannedArm, Sizes
from harness.kernels.bench.process import Ended, Limits, Worker
from harness.kernels.bench.proving import Proof, Seen, first_fault
from harness.kernels.bench.reasons import Reason

FIRST_CALLS, LEAST_CALLS, MOST_CALLS = 5, 10, 5000
NOVEL_PAIRS = 8
NOVEL_RATIO = 1.5  # contents never seen may not take longer than this, against the same contents laid anew
COLD_SHARE = 0.5  # of a shape's time, the other half is warm
CLOCK_SHARE, CLOCK_CALL_NS, CLOCK_SLACK_NS = 0.5, 20_000, 30_000_000  # what the runner's own clock may see beside calls
MOST_PLACES = 64
FILLING = min(8, os.cpu_count() or 1)  # threads that lay inputs out
CLOCK_TRIES = 3
ROTATED = 4  # times the cache that sets must fill before going round is cold by itself


@dataclass(frozen=True)
class Timed:
    """One number of a slot."""

    shape: str
    mode: str  # warm, cold
    median_ns: float
    low_ns: float  # 10th percentile
    high_ns: float  # 90th percentile
    calls: int


@dataclass(frozen=True)
class Slot:
    """What one process gave: numbers, or one reason."""

    times: list[Timed] = field(default_factory=list)
    facts: dict[str, str] = field(default_factory=dict)
    reason: Reason | None = None
    detail: str = ""


@dataclass(frozen=True)
class Job:
    """What is timed in one process."""

    pack: Path
    plan: Plan
    arm: PlannedArm
    sets: dict[str, list[Drawn]]  # by shape
    ceilings: Ceilings
    novel: bool  # whether contents never seen are tried too


class Stopped(Exception):
    """The slot ends with a reason."""

    def __init__(self, reason: Reason, detail: str) -> None:
        """Keep both."""
        super().__init__(detail)
        self.reason, self.detail = reason, detail


class Opened:
    """One process that will be timed: started by `start` or when it is asked for its numbers, ended by `close`."""

    def __init__(self, job: Job) -> None:
        """Nothing is started yet."""
        self.job = job
        self._shapes = [one for one in job.plan.shapes if one.name in job.sets and one.name in job.arm.calls]
        self._layouts = {
            one.name: lay_out(job.plan.parameters, one, job.arm, _places(job, one)) for one in self._shapes
        }
        self._arena: Arena | None = None
        self._worker: Worker | None = None
        self._facts: dict[str, str] | Ended = {}

    def __enter__(self) -> Self:
        """Nothing more to do."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the process."""
        self.close()

    def start(self) -> None:
        """Start the process and wait until its device is there."""
        if self._worker is not None or self.job.ceilings.fault:
            return
        self._arena = Arena(max(layout.total for layout in self._layouts.values()))
        limits = Limits(self.job.plan.wall_s, self.job.plan.memory_mib, {})
        self._worker = Worker(self.job.pack, self.job.arm.name, self._arena.fd, self._arena.total, limits)
        self._facts = self._worker.ready()

    def slot(self) -> Slot:
        """Time every shape that the arm applies to."""
        if self.job.ceilings.fault:
            said = (
                f"what this machine can do at most is not known, so no time can be believed: {self.job.ceilings.fault}"
            )
            return Slot(reason=Reason.RUNNER_FAILED, detail=said)
        self.start()
        if isinstance(self._facts, Ended):
            return Slot(reason=self._facts.reason, detail=self._facts.detail)
        assert self._worker is not None  # noqa: S101 - start() has set both
        assert self._arena is not None  # noqa: S101
        times: list[Timed] = []
        try:
            for shape in self._shapes:
                times += _shape(self._worker, self._arena, self.job, shape, self._layouts[shape.name])
        except Stopped as stopped:
            return Slot([], self._facts, stopped.reason, stopped.detail)
        return Slot(times, self._facts)

    def close(self) -> None:
        """End the process and give its memory back; a second time does nothing."""
        if self._worker is not None:
            self._worker.__exit__(None, None, None)
        if self._arena is not None:
            self._arena.close()
        self._worker = self._arena = None


def time_arm(job: Job) -> Slot:
    """Start one process, time every shape the arm applies to, end it."""
    with Opened(job) as one:
        return one.slot()


def _places(job: Job, shape: Sizes) -> int:
    """Enough places that going round them is cold, if that many are few."""
    size = max(1, lay_out(job.plan.parameters, shape, job.arm, 1).place_bytes)
    wanted = -(-ROTATED * job.ceilings.cache_bytes // size) if job.plan.language == "cuda" else 0
    return max(job.plan.input_sets, wanted if wanted <= MOST_PLACES else 0)


def _shape(worker: Worker, arena: Arena, job: Job, shape: Sizes, layout: Layout) -> list[Timed]:
    arena.use(layout)
    sets = job.sets[shape.name]
    _ask(worker, "take", shape=shape.name, places=layout.places)
    arena.fill_all([one.inputs for one in sets], POISONS[0], FILLING)
    for place in range(layout.places):
        _ask(worker, "push", place=place)
    times = []
    warm = max(1, min(len(sets), job.ceilings.cache_bytes // 2 // max(1, layout.place_bytes)))
    for mode, places in (("warm", list(range(warm))), ("cold", list(range(layout.places)))):
        timed, last = _mode(worker, (shape, mode), places, job.plan.seconds * COLD_SHARE)
        _right(arena, job, last, sets[last % len(sets)], Reason.WRONG_AFTER_TIMING)
        if impossible := job.ceilings.impossible(shape, mode, timed.low_ns, job.plan.unit):
            raise Stopped(Reason.IMPOSSIBLE_SPEED, f"shape {shape.name!r}, {mode}: {impossible}")
        times.append(timed)
    _still_right(worker, arena, job, sets)
    if job.novel:
        _novelty(worker, arena, sets[0].inputs)
    return times


def _mode(worker: Worker, what: tuple[Sizes, str], places: list[int], seconds: float) -> tuple[Timed, int]:
    """The number, and the place of the last call."""
    shape, mode = what
    cold = mode == "cold"
    began = time.perf_counter_ns()
    first = _ask(worker, "time", places=places, calls=FIRST_CALLS, cold=cold)
    each_ns = max(1.0, (time.perf_counter_ns() - began) / max(FIRST_CALLS, int(first["calls"])))
    calls = int(min(MOST_CALLS, max(LEAST_CALLS, seconds * 1e9 / each_ns)))
    faults: list[str] = []
    while len(faults) < CLOCK_TRIES:
        began = time.perf_counter_ns()
        reply = _ask(worker, "time", places=places, calls=calls, cold=cold)
        outer = time.perf_counter_ns() - began
        taken, made = [float(one) for one in reply["ns"]], int(reply["calls"])
        fault = clock_fault(taken, made, outer, cold)
        if fault is None:
            return _timed(shape.name, mode, taken, made), int(reply["place"])
        faults.append(fault)  # once may be a busy machine that let the worker wait
    raise Stopped(Reason.CLOCK_DIFFERS, faults[-1])


def _timed(shape: str, mode: str, taken: Sequence[float], calls: int) -> Timed:
    cuts = statistics.quantiles(taken, n=10) if len(taken) > 1 else [taken[0]] * 9
    return Timed(shape, mode, statistics.median(taken), cuts[0], cuts[-1], calls)


def clock_fault(taken_ns: Sequence[float], calls: int, outer_ns: float, cold: bool) -> str | None:
    """Whether the times of calls can be true beside the time that the runner itself has waited. Pure."""
    if not taken_ns or min(taken_ns) <= 0:
        return "a call was said to take no time at all"
    told = statistics.mean(taken_ns) * calls
    beside = outer_ns - told
    if beside < 0 or (not cold and beside > CLOCK_SHARE * outer_ns + CLOCK_CALL_NS * calls + CLOCK_SLACK_NS):
        return f"{calls} calls are said to take {told / 1e6:.3g} ms, the runner waited {outer_ns / 1e6:.3g} ms"
    return None


def _still_right(worker: Worker, arena: Arena, job: Job, sets: Sequence[Drawn]) -> None:
    """Timed once more where the old output was spoilt in the middle: it must be computed, not found."""
    for place in (0, arena.layout.places - 1):
        given = sets[place % len(sets)]
        _ask(worker, "settle", place=place, part=OUTPUTS)  # brings back what the output holds where the kernel runs
        arena.spoil(place, POISONS[1])
        _ask(worker, "push", place=place, part=OUTPUTS)
        _ask(worker, "time", places=[place], calls=1, cold=False)
        returned = _right(arena, job, place, given, Reason.STALE)
        _ask(worker, "settle", place=place)
        if where := arena.trespass(place):
            raise Stopped(Reason.OUT_OF_BOUNDS, f"while it was timed it wrote {where}")
        if name := arena.changed_input(place, given.inputs):
            raise Stopped(Reason.INPUT_CHANGED, f"while it was timed it wrote to input {name!r}")
        late = [name for name, now in arena.outputs(place).items() if (now != returned[name]).any()]
        if late:
            raise Stopped(Reason.DEFERRED, f"while it was timed, {late[0]!r} still changed after a call had returned")


def _right(arena: Arena, job: Job, place: int, given: Drawn, otherwise: Reason) -> dict[str, Bytes]:
    """The last call's outputs, if they are within the tolerance."""
    returned = arena.snapshot()
    fault = first_fault(job.plan, arena.layout, Seen("after timing", given, returned, POISONS[1]))
    if fault is None:
        return returned
    told = {
        Reason.STALE: "it left an output that it found there, spoilt in the middle, as it was",
        Reason.WRONG_AFTER_TIMING: f"right when it was proved, wrong at place {place} after it was timed",
    }
    raise Stopped(otherwise, f"{told[otherwise]}: {fault[1]}")


def _novelty(worker: Worker, arena: Arena, inputs: Arrays) -> None:
    """Stops where contents never seen take longer, twice over: once may be chance on a busy machine."""
    first = _novel_ratio(worker, arena, inputs, 0)
    if first > NOVEL_RATIO and (again := _novel_ratio(worker, arena, inputs, NOVEL_PAIRS)) > NOVEL_RATIO:
        said = f"contents it has not seen before take {again:.1f} times as long as the same contents laid anew"
        raise Stopped(Reason.MEMO_CONTENTS, said)


def _novel_ratio(worker: Worker, arena: Arena, inputs: Arrays, turns_before: int) -> float:
    """The same contents laid anew and contents that differ by one element, never seen, in turn; 0 if quartiles meet."""
    known: list[float] = []
    novel: list[float] = []
    changed = {name: array.copy() for name, array in inputs.items()}
    for turn in range(turns_before + 1, turns_before + NOVEL_PAIRS + 1):
        for array in changed.values():
            alter(array, (array.size // 2 + turn) % array.size)
        for given, taken in ((inputs, known), (changed, novel)):
            arena.fill(0, given, POISONS[turn % 2])
            _ask(worker, "push", place=0)
            taken.append(float(_ask(worker, "time", places=[0], calls=1, cold=False)["ns"][0]))
    apart = statistics.quantiles(novel, n=4)[0] > statistics.quantiles(known, n=4)[2]
    return statistics.median(novel) / statistics.median(known) if apart else 0.0


def _ask(worker: Worker, do: str, **what: Any) -> dict[str, Any]:
    reply = worker.ask(do, **what)
    if isinstance(reply, Ended):
        raise Stopped(reply.reason, reply.detail)
    return reply


def as_proof(slot: Slot) -> Proof | None:
    """A slot that ended with a reason, as a proof says it."""
    return None if slot.reason is None else Proof(slot.reason, slot.detail, {}, None)
