"""Soak: steady users for a long time: failures, tokens as progress, and what grows (lesson M13).

Progress is tokens, not open connections: a server that keeps streams open and sends nothing has stalled.
"""

import asyncio
import math
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from harness.client.record import RequestRecord
from harness.client.stream import Ask, Client, Door, send
from harness.protocols.base import Asked, ProtocolOutcome, Surroundings, Watched, invalid, number
from harness.protocols.growth import Growth, Look, after_plateau, growth
from harness.protocols.prompts import document
from harness.protocols.rates import p95_ttft_ms, total_tok_s
from harness.protocols.ruler import measure_ruler, rulerless
from harness.vocabulary.criteria import Criteria
from harness.vocabulary.loads import MIN_LOOKS, Soak
from harness.vocabulary.outcome import Metric as Name
from harness.vocabulary.outcome import Reason
from ledger.entries import Metric

LATE = 3  # a busy machine looks late: until there are looks enough, a soak lasts at most so many times as long
SHOWN = 16  # processes told about, the fastest growing first


@dataclass
class _Tally:
    """Failures so far, shared by all users: a soak that has failed is not loaded on for an hour."""

    failures: int = 0


@dataclass(frozen=True)
class Soaked:
    """Everything that was seen."""

    users: tuple[tuple[RequestRecord, ...], ...]
    looks: tuple[Look, ...]
    t_begin: float
    t_end: float


async def soak(
    client: Client, door: Door, criteria: Criteria, prompt_seed: int, surroundings: Surroundings
) -> ProtocolOutcome:
    """Each user asks one request after the other until the time is over; processes are looked at meanwhile."""
    settings = criteria.soak or Soak()
    measured = await measure_ruler(client, door, prompt_seed, settings.request_timeout_s)
    if measured.ruler is None:
        return rulerless(measured)
    words, tally, over = measured.ruler.words(settings.prompt_tokens), _Tally(), asyncio.Event()
    looks, begin = list[Look](), time.perf_counter()

    def goes_on() -> bool:
        lasted_s = time.perf_counter() - begin
        if lasted_s < settings.seconds:
            return True
        return len(after_plateau(looks, settings.plateau)) < MIN_LOOKS and lasted_s < LATE * settings.seconds

    async def user(number_: int) -> tuple[RequestRecord, ...]:
        records: list[RequestRecord] = []
        while goes_on() and tally.failures <= settings.max_failures:
            prompt = document(prompt_seed, f"soak/{number_}/{len(records)}", words)
            records.append(await send(client, door, Ask(prompt, settings.tokens, settings.request_timeout_s)))
            tally.failures += not records[-1].ok
        return tuple(records)

    watching = asyncio.ensure_future(_watch(surroundings.watched, settings.sample_s, over, looks))
    try:
        users = await asyncio.gather(*(user(index) for index in range(settings.users)))
    finally:
        over.set()
        await watching
    return outcome(Soaked(tuple(users), tuple(looks), begin, time.perf_counter()), settings, measured.asked)


async def _watch(watched: Watched, every_s: float, over: asyncio.Event, looks: list[Look]) -> None:
    """Looks at a steady pace until it is over: what a look takes does not put off the next one."""
    due = time.perf_counter()
    while not over.is_set():
        uses = await watched.use()
        now = time.perf_counter()
        looks.append(Look(now, uses))
        due += every_s * max(1, math.ceil((now - due) / every_s))  # what was missed is not made up for in a hurry
        with suppress(TimeoutError):
            async with asyncio.timeout(due - now):
                await over.wait()


def outcome(soaked: Soaked, settings: Soak, before: tuple[Asked, ...] = ()) -> ProtocolOutcome:
    """Metrics and what each process gained, or the reason why there are none; pure."""
    asked = [
        *before,
        *(
            Asked(f"user {user}, request {index}", record)
            for user, records in enumerate(soaked.users)
            for index, record in enumerate(records)
        ),
    ]
    good = [one.record for one in asked[len(before) :] if one.record.ok]
    bad = [one for one in asked if not one.record.ok]
    if len(bad) > settings.max_failures or not good:
        first = bad[0]
        said = f"{len(bad)} of {len(asked)} requests failed, {settings.max_failures} may; the first was {first.place}"
        return invalid(first.record.reason or Reason.REQUEST_FAILED, f"{said}: {first.record.detail}", asked)
    gap_s = longest_gap_s([one.record for one in asked[len(before) :]], soaked.t_begin, soaked.t_end)
    if gap_s > settings.stall_s:
        said = f"no token of any user came for {gap_s:.1f} s, {settings.stall_s:g} s are allowed"
        return invalid(Reason.STALLED, said, asked)
    grown = growth(soaked.looks, settings.plateau)
    if (fault := _growing(grown, settings)) is not None:
        return invalid(fault.reason, fault.said, asked)
    metrics = _metrics(len(soaked.users), good, grown, gap_s, len(bad))
    findings = tuple(one.sentence for one in grown[:SHOWN])
    return ProtocolOutcome(metrics, None, "", tuple(one.record for one in asked), findings=findings)


@dataclass(frozen=True)
class _Fault:
    reason: Reason
    said: str


def _growing(grown: Sequence[Growth], settings: Soak) -> _Fault | None:
    """The process that gains more than it may, by the lower bound of its growth; or that none could be looked at."""
    if not grown:
        return _Fault(Reason.NO_PROOF, "no process of the server could be looked at often enough after the plateau")
    for one in grown:
        if one.memory_mib_h.low > settings.max_growth_mib_h:
            return _Fault(Reason.MEMORY_GROWS, f"{one.sentence}; {settings.max_growth_mib_h:g} MiB are allowed")
        if one.descriptors_h.low > settings.max_descriptors_h:
            return _Fault(Reason.DESCRIPTORS_GROW, f"{one.sentence}; {settings.max_descriptors_h:g} are allowed")
    return None


def longest_gap_s(records: Sequence[RequestRecord], begin: float, end: float) -> float:
    """The longest time without a token of whatever user, from the beginning of the load to its end."""
    moments = sorted([begin, end, *(at for record in records for at in record.stamps)])
    return max(after - at for at, after in pairwise(moments))


def _metrics(
    users: int, good: Sequence[RequestRecord], grown: Sequence[Growth], gap_s: float, failures: int
) -> tuple[Metric, ...]:
    worst = grown[0].memory_mib_h
    return (
        *number(Name.TOTAL_TOK_S, users, [total_tok_s(good)]),
        *number(Name.TTFT_MS, users, [median(record.ttft_ms for record in good)]),
        *number(Name.TTFT_P95_MS, users, [p95_ttft_ms(good)]),
        *number(Name.LONGEST_GAP_MS, users, [gap_s * 1000]),
        *number(Name.FAILURES, users, [float(failures)]),
        *number(Name.GROWTH_MIB_H, users, [worst.per_h]),
        *number(Name.GROWTH_LOW_MIB_H, users, [worst.low]),
        *number(Name.GROWTH_HIGH_MIB_H, users, [worst.high]),
        *number(Name.DESCRIPTORS_H, users, [max(one.descriptors_h.per_h for one in grown)]),
    )
