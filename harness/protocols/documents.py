"""Documents: long prompts, each of its own, every length with every number of users, cold and proven cold (lesson M7).

Cold and warm are two numbers (lesson M7b); a cold one whose prompts came from a cache is no number at all. Growth over
length is told as an exponent from each length to the next (lesson M8).
"""

import asyncio
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from statistics import fmean, median

from harness.client.record import RequestRecord
from harness.client.stream import Ask, Client, Door, send
from harness.protocols.base import Asked, ProtocolOutcome, Surroundings, invalid, number, spoilt
from harness.protocols.cold import Coldness, caching, coldness
from harness.protocols.prompts import document
from harness.protocols.rates import prefill_s
from harness.protocols.ruler import Ruler, measure_ruler, off_label, rulerless
from harness.vocabulary.criteria import Criteria
from harness.vocabulary.loads import Documents
from harness.vocabulary.outcome import Metric as Name
from harness.vocabulary.outcome import Reason
from ledger.entries import Metric

QUESTION = " In one sentence, this document is about"


@dataclass(frozen=True)
class Cell:
    """One length with one number of users. `warm` is empty where it was not asked for."""

    length: int
    users: int
    cold: tuple[RequestRecord, ...]
    coldness: Coldness
    warm: tuple[RequestRecord, ...] = ()
    warmth: Coldness | None = None

    @property
    def asked(self) -> tuple[Asked, ...]:
        """Its requests."""
        place = f"{self.length} tokens, {self.users} users"
        return tuple(
            Asked(f"{place}, {how}, user {user}", record)
            for how, records in (("cold", self.cold), ("warm", self.warm))
            for user, record in enumerate(records)
        )


async def documents(
    client: Client, door: Door, criteria: Criteria, prompt_seed: int, surroundings: Surroundings
) -> ProtocolOutcome:
    """Cell by cell from the shortest on; ends at the first that cannot be used."""
    settings = criteria.documents or Documents()
    measured = await measure_ruler(client, door, prompt_seed, settings.request_timeout_s)
    if measured.ruler is None:
        return rulerless(measured)
    cells: list[Cell] = []
    for length, users in product(settings.lengths, sorted(set(settings.users))):
        asks = _asks(settings, measured.ruler, prompt_seed, length, users)
        cells.append(await _cell(client, door, surroundings, length, asks, settings.warm))
        if fault(cells, measured.asked) is not None:
            break
    return outcome(cells, measured.asked)


def _asks(settings: Documents, ruler: Ruler, seed: int, length: int, users: int) -> list[Ask]:
    words = ruler.words(length)
    return [
        Ask(
            document(seed, f"documents/{length}/{users}/{user}", words) + QUESTION,
            settings.tokens,
            settings.request_timeout_s,
        )
        for user in range(users)
    ]


async def _cell(
    client: Client, door: Door, surroundings: Surroundings, length: int, asks: Sequence[Ask], warm: bool
) -> Cell:
    before = await surroundings.cache()
    cold = tuple(await asyncio.gather(*(send(client, door, ask) for ask in asks)))
    between = await surroundings.cache()
    seen = coldness(cold, before, between)
    if not warm or not all(record.ok for record in cold):
        return Cell(length, len(asks), cold, seen)
    again = tuple(await asyncio.gather(*(send(client, caching(door), ask) for ask in asks)))
    return Cell(length, len(asks), cold, seen, again, coldness(again, between, await surroundings.cache()))


def fault(cells: Sequence[Cell], before: Sequence[Asked]) -> ProtocolOutcome | None:
    """The outcome of the first cell that cannot be used; none if all can. Pure."""
    asked = [*before, *(one for cell in cells for one in cell.asked)]
    if (bad := spoilt(asked)) is not None:
        return bad
    for cell in cells:
        for one in cell.asked:
            if (said := off_label(one.record, cell.length)) is not None:
                return invalid(Reason.WRONG_LENGTH, f"{one.place}: {said}", asked)
        if (reason := cell.coldness.fault) is not None:
            place = f"{cell.length} tokens, {cell.users} users, cold"
            return invalid(reason, f"{place}: {cell.coldness.sentence}", asked)
    return None


def outcome(cells: Sequence[Cell], before: Sequence[Asked] = ()) -> ProtocolOutcome:
    """Metrics of all cells, or the reason why there are none; pure."""
    if (bad := fault(cells, before)) is not None:
        return bad
    records = tuple(one.record for one in (*before, *(one for cell in cells for one in cell.asked)))
    metrics = [metric for cell in cells for metric in _metrics(cell)]
    return ProtocolOutcome((*metrics, *_growth(cells)), None, "", records)


def _metrics(cell: Cell) -> tuple[Metric, ...]:
    users, size = cell.users, cell.length
    rate = sum(record.prompt_tokens for record in cell.cold) / prefill_s(cell.cold)
    found = (
        *number(Name.COLD_TTFT_MS, users, [median(record.ttft_ms for record in cell.cold)], size),
        *number(Name.PREFILL_TOK_S, users, [rate], size),
    )
    if cell.warmth is None:
        return found
    return (
        *found,
        *number(Name.WARM_TTFT_MS, users, [median(record.ttft_ms for record in cell.warm)], size),
        *number(Name.CACHED_TOKENS, users, [cell.warmth.cached / users], size),
    )


def _growth(cells: Sequence[Cell]) -> tuple[Metric, ...]:
    """ln(t2 / t1) / ln(n2 / n1) from each length to the next, of cold times and of the server's own counts."""
    found: list[Metric] = []
    for users in sorted({cell.users for cell in cells}):
        column = [cell for cell in cells if cell.users == users]
        for shorter, longer in pairwise(column):
            times = [median(record.ttft_ms for record in cell.cold) for cell in (shorter, longer)]
            lengths = [fmean(record.prompt_tokens for record in cell.cold) for cell in (shorter, longer)]
            exponent = math.log(times[1] / times[0]) / math.log(lengths[1] / lengths[0])
            found += number(Name.GROWTH_EXPONENT, users, [exponent], longer.length)
    return tuple(found)
