"""What a correct client must measure: the true metrics of a load, computed in virtual time without any server. Pure.

The definitions are docs/gates-and-metrics.md's, written a second time on purpose: an independent check.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median

from harness.simulator.pace import Pace
from harness.simulator.scheduler import Job, Limits, Scheduler


@dataclass(frozen=True)
class Arrival:
    """One request: when it is sent (virtual seconds), its prompt and how much it asks for."""

    at: float
    prompt_tokens: int
    tokens: int
    cached: int = 0
    priority: int = 0


@dataclass(frozen=True)
class Answered:
    """One answer: when each event of tokens came, and how many tokens each carried."""

    sent: float
    stamps: tuple[float, ...]
    tokens: tuple[int, ...]

    @property
    def ttft_s(self) -> float:
        """Time to first token."""
        return self.stamps[0] - self.sent

    @property
    def user_tok_s(self) -> float:
        """Tokens after the first event over the time they took; 0 where all came at once."""
        span = self.stamps[-1] - self.stamps[0]
        mean_tokens = sum(self.tokens) / len(self.tokens)
        return (sum(self.tokens) - mean_tokens) / span if span > 0 else 0.0


@dataclass(frozen=True)
class Truth:
    """The true metrics of one step of simultaneous users, in wall-clock units."""

    user_tok_s: float
    total_tok_s: float
    streaming_tok_s: float
    ttft_ms: float


def timeline(pace: Pace, limits: Limits, arrivals: Sequence[Arrival], seed: int = 0) -> tuple[Answered, ...]:
    """The answers to `arrivals`, in their order. A request that the engine's death left unanswered has no stamps."""
    engine = Scheduler(pace, limits, seed)
    stamps: list[list[float]] = [[] for _ in arrivals]
    tokens: list[list[int]] = [[] for _ in arrivals]
    waiting = sorted(enumerate(arrivals), key=lambda item: item[1].at)
    while waiting or engine.next_at() is not None:
        at = engine.next_at()
        if waiting and (at is None or waiting[0][1].at <= at):
            number, arrival = waiting.pop(0)
            job = Job(number, arrival.prompt_tokens, arrival.tokens, arrival.cached, arrival.priority)
            engine.submit(job, arrival.at)
            continue
        if at is None:
            break
        for said in engine.advance(at):
            stamps[said.number].append(said.at)
            tokens[said.number].append(said.tokens)
    return tuple(Answered(a.at, tuple(s), tuple(t)) for a, s, t in zip(arrivals, stamps, tokens, strict=True))


def metrics(answers: Sequence[Answered], scale: float = 1.0) -> Truth:
    """The metrics of answers to requests sent at once; `scale` is the server's time scale."""
    opened, closed = max(a.stamps[0] for a in answers), min(a.stamps[-1] for a in answers)
    inside = sum(
        sum(opened < at <= closed for at in answer.stamps) * sum(answer.tokens) / len(answer.tokens)
        for answer in answers
    )
    span = max(a.stamps[-1] for a in answers) - min(a.sent for a in answers)
    return Truth(
        user_tok_s=fmean(answer.user_tok_s for answer in answers) / scale,
        total_tok_s=sum(sum(answer.tokens) for answer in answers) / span / scale,
        streaming_tok_s=inside / (closed - opened) / scale if closed > opened else 0.0,
        ttft_ms=median(answer.ttft_s for answer in answers) * 1000 * scale,
    )


def step(pace: Pace, limits: Limits, users: int, prompt_tokens: int, tokens: int) -> Truth:
    """The truth of `users` equal requests sent at once to an idle server; time scale 1."""
    return metrics(timeline(pace, limits, [Arrival(0.0, prompt_tokens, tokens)] * users))
