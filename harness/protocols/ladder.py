"""The ladder: steps of simultaneous users, up and down again without cooling, every metric read per load (lesson M1).

A request that failed or is short makes the whole trial invalid; it never becomes a number. docs/measuring.md defines
every metric.
"""

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from statistics import median

from harness.client.record import RequestRecord
from harness.client.stream import Ask, Client, Door, send
from harness.protocols.base import ProtocolOutcome, Surroundings, number
from harness.protocols.prompts import load_prompt
from harness.protocols.rates import streaming_tok_s, total_tok_s, user_tok_s
from harness.vocabulary.criteria import Criteria
from harness.vocabulary.outcome import Metric as Name
from ledger.entries import Metric


async def ladder(
    client: Client, door: Door, criteria: Criteria, prompt_seed: int, _surroundings: Surroundings
) -> ProtocolOutcome:
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


def outcome(steps: Sequence[Sequence[RequestRecord]]) -> ProtocolOutcome:
    """Metrics of all steps, or the reason why there are none; pure."""
    records = tuple(record for step in steps for record in step)
    for index, step in enumerate(steps):
        for user, record in enumerate(step):
            if record.reason is not None:
                detail = f"step {index} ({len(step)} users), user {user}: {record.detail}"
                return ProtocolOutcome((), record.reason, detail, records)
    return ProtocolOutcome(_metrics(steps), None, "", records)


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
    return tuple(metric for (load, name), seen in sorted(values.items()) for metric in number(name, load, seen))
