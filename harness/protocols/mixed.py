"""Mixed: users who start one after the other and ask for prompts and answers of different lengths (lesson M1).

The total of a wall-clock window and the rate while all stream are two numbers: 155 and 260 tok/s of one server.
"""

import asyncio
import time
from collections.abc import Sequence
from statistics import median

from harness.client.record import RequestRecord
from harness.client.stream import Ask, Client, Door, send
from harness.protocols.base import Asked, ProtocolOutcome, Surroundings, number, spoilt
from harness.protocols.prompts import document
from harness.protocols.rates import p95_ttft_ms, total_tok_s, user_tok_s, windowed_tok_s
from harness.protocols.ruler import Ruler, measure_ruler, rulerless
from harness.vocabulary.criteria import Criteria
from harness.vocabulary.loads import Mixed
from harness.vocabulary.outcome import Metric as Name

SOON_S = 0.2  # from now to the first user's start, so that every connection is open by then


async def mixed(
    client: Client, door: Door, criteria: Criteria, prompt_seed: int, _surroundings: Surroundings
) -> ProtocolOutcome:
    """Every user asks his rounds one after the other; the next user starts `stagger_s` later."""
    settings = criteria.mixed or Mixed()
    measured = await measure_ruler(client, door, prompt_seed, settings.request_timeout_s)
    if measured.ruler is None:
        return rulerless(measured)
    begin = time.perf_counter() + SOON_S
    users = [
        _user(client, door, _asks(settings, measured.ruler, prompt_seed, user), begin + user * settings.stagger_s)
        for user in range(settings.users)
    ]
    return outcome(await asyncio.gather(*users), measured.asked)


async def _user(client: Client, door: Door, asks: Sequence[Ask], due: float) -> tuple[RequestRecord, ...]:
    records: list[RequestRecord] = []
    for ask in asks:
        records.append(await send(client, door, ask if records else _at(ask, due)))
        if not records[-1].ok:
            break
    return tuple(records)


def _at(ask: Ask, due: float) -> Ask:
    return Ask(ask.prompt, ask.tokens, ask.timeout_s, due=due)


def _asks(settings: Mixed, ruler: Ruler, seed: int, user: int) -> list[Ask]:
    """Lengths are taken in turn over users and rounds, so that neighbours differ."""
    asks: list[Ask] = []
    for index in range(settings.rounds):
        turn = user + index
        words = ruler.words(settings.prompt_tokens[turn % len(settings.prompt_tokens)])
        prompt = document(seed, f"mixed/{user}/{index}", words)
        asks.append(Ask(prompt, settings.tokens[turn % len(settings.tokens)], settings.request_timeout_s))
    return asks


def outcome(users: Sequence[Sequence[RequestRecord]], before: Sequence[Asked] = ()) -> ProtocolOutcome:
    """Metrics over all requests, or the reason why there are none; pure. `before` is not measured."""
    asked = [
        *before,
        *(
            Asked(f"user {user}, round {index}", record)
            for user, records in enumerate(users)
            for index, record in enumerate(records)
        ),
    ]
    if (bad := spoilt(asked)) is not None:
        return bad
    records, load = [record for one in users for record in one], len(users)
    opened, closed = max(one[0].t_first for one in users), min(one[-1].t_last for one in users)
    metrics = (
        *number(Name.USER_TOK_S, load, [user_tok_s(records)]),
        *number(Name.TOTAL_TOK_S, load, [total_tok_s(records)]),
        *number(Name.STREAMING_TOK_S, load, [windowed_tok_s(records, opened, closed)]),
        *number(Name.TTFT_MS, load, [median(record.ttft_ms for record in records)]),
        *number(Name.TTFT_P95_MS, load, [p95_ttft_ms(records)]),
    )
    return ProtocolOutcome(metrics, None, "", tuple(one.record for one in asked))
