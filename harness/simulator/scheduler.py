"""The engine's scheduler as a machine of virtual time: prompts in batches first, then steps of all open streams. Pure.

The server drives it by the clock, `truth.py` drives it without one: both see the same times. As on the seeds' server
a prompt is never interrupted, whatever a request's priority (M14), and decoding stands still while prompts are read.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from harness.simulator.pace import Pace


@dataclass(frozen=True)
class Limits:
    """What the scheduler may do at once."""

    max_seqs: int = 8
    budget_tokens: int = 131_072  # of prompts in one step; longer ones are cut (M7b)
    kv_tokens: int = 2_719_744
    execution_timeout_s: float = 2400.0  # a longer step kills the engine (S5)
    gather_s: float = 0.0  # an idle engine waits so long for more requests before it begins
    priorities_work: bool = False  # whether a request with a lower number really goes first


@dataclass
class Job:
    """One request inside the engine."""

    number: int
    prompt_tokens: int
    wanted: int
    cached: int = 0
    priority: int = 0
    stops: bool = False  # ends by itself, not by its limit
    arrived: float = 0.0
    pieces: list[float] = field(default_factory=list)
    produced: int = 0

    @property
    def kv_tokens(self) -> int:
        """Room it may need in the cache."""
        return self.prompt_tokens + self.wanted


@dataclass(frozen=True)
class Emission:
    """Tokens of one request, and when they were ready (virtual seconds)."""

    number: int
    tokens: int
    at: float
    done: bool


@dataclass(frozen=True)
class _Step:
    ends_at: float
    prompts: tuple[Job, ...]  # empty: a decoding step
    deadly: bool = False


class Scheduler:
    """Jobs in, emissions out. `advance` may be called late: what should have happened meanwhile happens then."""

    def __init__(self, pace: Pace, limits: Limits, seed: int = 0) -> None:
        self.pace, self.limits = pace, limits
        self.waiting: list[Job] = []
        self.running: list[Job] = []
        self.dead_at: float | None = None  # when an execution timeout ended the engine
        self.drafted = self.accepted = self.steps = self.decodes = 0
        self._random = random.Random(seed)  # noqa: S311 - a simulation
        self._step: _Step | None = None

    def submit(self, job: Job, now: float) -> None:
        """A request arrives."""
        job.arrived = now
        job.pieces = list(self.pace.pieces_s(job.prompt_tokens, job.cached, self.limits.budget_tokens))
        self.waiting.append(job)

    def cancel(self, number: int) -> None:
        """The client is gone."""
        self.waiting = [job for job in self.waiting if job.number != number]
        self.running = [job for job in self.running if job.number != number]

    def next_at(self) -> float | None:
        """When `advance` has something to do; none while idle."""
        if self.dead_at is not None:
            return None
        if self._step is not None:
            return self._step.ends_at
        if self.waiting:
            return min(job.arrived for job in self.waiting) + self.limits.gather_s
        return None

    def advance(self, now: float) -> list[Emission]:
        """Everything that is ready by `now`, in order."""
        said: list[Emission] = []
        while (at := self.next_at()) is not None and at <= now:
            if self._step is not None:
                said += self._finish(self._step)
            if self.dead_at is None:
                self._step = self._begin(at)
        return said

    def _begin(self, now: float) -> _Step | None:
        prompts = self._next_prompts()
        if prompts:
            duration = sum(job.pieces[0] for job in prompts)
        elif self.running:
            duration = self.pace.step_s(len(self.running))
        else:
            return None
        self.steps += 1
        deadly = duration > self.limits.execution_timeout_s
        return _Step(now + min(duration, self.limits.execution_timeout_s), tuple(prompts), deadly)

    def _next_prompts(self) -> list[Job]:
        """As many waiting prompts as fit into one step; a longer one goes alone, piece by piece."""
        queue: Sequence[Job] = self.waiting
        if self.limits.priorities_work:
            queue = sorted(self.waiting, key=lambda job: job.priority)
        taken: list[Job] = []
        room_tokens, room_kv = self.limits.budget_tokens, self.limits.kv_tokens - sum(j.kv_tokens for j in self.running)
        for job in queue:
            size = min(job.prompt_tokens - job.cached, self.limits.budget_tokens)
            seats = len(self.running) + len(taken) < self.limits.max_seqs
            if not seats or job.kv_tokens > room_kv or (taken and (size > room_tokens or len(job.pieces) > 1)):
                break
            taken.append(job)
            room_tokens, room_kv = room_tokens - size, room_kv - job.kv_tokens
            if len(job.pieces) > 1:
                break
        return taken

    def _finish(self, step: _Step) -> list[Emission]:
        self._step = None
        if step.deadly:
            self.dead_at = step.ends_at
            return []
        if step.prompts:
            return self._read(step)
        self.decodes += 1
        return [said for job in list(self.running) if (said := self._emit(job, self._drafted(), step.ends_at))]

    def _read(self, step: _Step) -> list[Emission]:
        said: list[Emission] = []
        for job in step.prompts:
            if job not in self.waiting:
                continue  # cancelled meanwhile
            job.pieces.pop(0)
            if not job.pieces:
                self.waiting.remove(job)
                self.running.append(job)
                said += [emission] if (emission := self._emit(job, 1, step.ends_at)) else []
        return said

    def _emit(self, job: Job, tokens: int, at: float) -> Emission | None:
        tokens = min(tokens, job.wanted - job.produced)
        job.produced += tokens
        done = job.produced >= job.wanted
        if done:
            self.running.remove(job)
        return Emission(job.number, tokens, at, done)

    def _drafted(self) -> int:
        """Tokens of one stream in one step: one, and the drafted ones up to the first that is rejected."""
        drafting = self.pace.drafting
        accepted = 0
        while accepted < drafting.tokens and self._random.random() < drafting.acceptance:
            accepted += 1
        self.drafted += drafting.tokens
        self.accepted += accepted
        return 1 + accepted
