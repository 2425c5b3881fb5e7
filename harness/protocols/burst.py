"""Burst: many requests in the same moment on a server that was idle, also more than it serves at once."""

import asyncio
import time
from collections.abc import Sequence
from statistics import median

from harness.client.record import RequestRecord
from harness.client.stream import Ask, Client, Door, send
from harness.protocols.base import Asked, ProtocolOutcome, Surroundings, number, spoilt
from harness.protocols.prompts import load_prompt
from harness.protocols.rates import p95_ttft_ms, total_tok_s
from harness.vocabulary.criteria import Criteria
from harness.vocabulary.loads import Burst
from harness.vocabulary.outcome import Metric as Name

SOON_S = 0.2  # at least so long before they are due, connections are opened


async def burst(
    client: Client, door: Door, criteria: Criteria, prompt_seed: int, _surroundings: Surroundings
) -> ProtocolOutcome:
    """Each burst is sent at one moment, `pause_s` after the one before has ended; ends at the first bad one."""
    settings = criteria.burst or Burst()
    bursts: list[tuple[RequestRecord, ...]] = []
    for index, users in enumerate(settings.at_once):
        due = time.perf_counter() + max(settings.pause_s, SOON_S)
        asks = [
            Ask(load_prompt(prompt_seed, index, user), settings.tokens, settings.request_timeout_s, due=due)
            for user in range(users)
        ]
        bursts.append(tuple(await asyncio.gather(*(send(client, door, ask) for ask in asks))))
        if any(not record.ok for record in bursts[-1]):
            break
    return outcome(bursts)


def outcome(bursts: Sequence[Sequence[RequestRecord]]) -> ProtocolOutcome:
    """Metrics of each number of requests at once, averaged over bursts of that number; pure."""
    asked = [
        Asked(f"burst {index} of {len(one)}, request {user}", record)
        for index, one in enumerate(bursts)
        for user, record in enumerate(one)
    ]
    if (bad := spoilt(asked)) is not None:
        return bad
    metrics = [
        metric
        for load in sorted({len(one) for one in bursts})
        for same in [[one for one in bursts if len(one) == load]]
        for metric in (
            *number(Name.TOTAL_TOK_S, load, [total_tok_s(one) for one in same]),
            *number(Name.TTFT_MS, load, [median(record.ttft_ms for record in one) for one in same]),
            *number(Name.TTFT_P95_MS, load, [p95_ttft_ms(one) for one in same]),
        )
    ]
    return ProtocolOutcome(tuple(metrics), None, "", tuple(one.record for one in asked))
