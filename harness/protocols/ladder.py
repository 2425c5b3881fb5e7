"""The ladder: steps of simultaneous users, up and down again without cooling, every metric read per load (lesson M1).

A request that failed or is short makes the whole trial invalid; it never becomes a number. docs/gates-and-metrics.md
defines every metric.
"""

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from statistics import fmean, median

from harness.client.record import RequestRecord
from harness.client.stream import Ask, Client, Door, send
from harness.protocols.base import LadderOutcome
from harness.protocols.prompts import load_prompt
from harness.vocabulary.criteria import Criteria
from harness.vocabulary.outcome import Metric as Name
from ledger.entries import Metric

# The rate while all stream is read from the window in which every stream is open; a window that holds less than this
# share of a step's tokens is an accident of scheduling, not a rate.
MIN_WINDOW_SHARE = 0.25


async def ladder(client: Client, door: Door, criteria: Criteria, prompt_seed: int) -> LadderOutcome:
    """Run every step one after the other; stops at the first step with a request that did not end well."""
    settings = criteria.ladder
    steps: list[tuple[RequestRecord, ...]] = []
    for index, users in enumerate(settings.steps):
        asks = [
            Ask(load_prompt(prompt_seed, index, user), settings.tokens, settings.request_timeout_s)
            for user in range(users)
        ]
        steps.append(tuple(await asyncio.gather(*(send(client, door, ask) for ask in asks))))
        if any(not record.ok for record in steps[-1]):
            break
    return outcome(steps)


def outcome(steps: Sequence[Sequence[RequestRecord]]) -> LadderOutcome:
    """Metrics of all steps, or the reason why there are none; pure."""
    records = tuple(record for step in steps for record in step)
    for index, step in enumerate(steps):
        for user, record in enumerate(step):
            if record.reason is not None:
                detail = f"step {index} ({len(step)} users), user {user}: {record.detail}"
                return LadderOutcome((), record.reason, detail, records)
    return LadderOutcome(_metrics(steps), None, "", records)


def _metrics(steps: Sequence[Sequence[RequestRecord]]) -> tuple[Metric, ...]:
    """Each metric at each load, averaged over the steps of that load; left out where one of the steps lacks it."""
    values: dict[tuple[int, Name], list[float | None]] = defaultdict(list)
    for step in steps:
        for name, value in (
            (Name.USER_TOK_S, user_tok_s(step)),
            (Name.TOTAL_TOK_S, total_tok_s(step)),
            (Name.STREAMING_TOK_S, streaming_tok_s(step)),
            (Name.TTFT_MS, median(record.ttft_ms for record in step)),
        ):
            values[len(step), name].append(value)
    found: list[Metric] = []
    for (load, name), seen in sorted(values.items()):
        numbers = [value for value in seen if value is not None]
        if len(numbers) == len(seen):
            found.append(Metric(metric=name.value, load=load, value=fmean(numbers), samples=len(numbers)))
    return tuple(found)


def user_tok_s(step: Sequence[RequestRecord]) -> float | None:
    """Mean over users of each one's own rate; none where an answer came in one event."""
    rates = [rate for record in step if (rate := record.user_tok_s) is not None]
    return fmean(rates) if len(rates) == len(step) else None


def total_tok_s(step: Sequence[RequestRecord]) -> float | None:
    """All tokens of the step over the wall clock from the first request sent to the last token."""
    span_s = max(record.t_last for record in step) - min(record.t_send for record in step)
    return sum(record.tokens for record in step) / span_s if span_s > 0 else None


def streaming_tok_s(step: Sequence[RequestRecord]) -> float | None:
    """Tokens stamped while every stream is open, over that time; none where the streams hardly overlap."""
    opened, closed = max(record.t_first for record in step), min(record.t_last for record in step)
    inside = sum(record.weight * sum(opened < at <= closed for at in record.stamps) for record in step)
    if closed <= opened or inside < MIN_WINDOW_SHARE * sum(record.tokens for record in step):
        return None
    return inside / (closed - opened)
