"""Output identity: whether one prompt at temperature 0 has one answer, asked again alone and beside others (lesson M6).

Its texts are compared with the baseline's as well, besides those of the gate. A text that changes with the load is the
rule on engines that batch (sums in another order), so that it is reported unless the criteria ask for more.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from harness.client.record import RequestRecord
from harness.client.stream import Ask, Client, Door, send
from harness.protocols.base import Asked, ProtocolOutcome, Surroundings, invalid, number, spoilt
from harness.protocols.prompts import load_prompt
from harness.protocols.rates import user_tok_s
from harness.shortened import shortened
from harness.vocabulary.criteria import Criteria
from harness.vocabulary.loads import Identity
from harness.vocabulary.outcome import Metric as Name
from harness.vocabulary.outcome import Reason

SHOWN = 500  # characters of which texts differ
SEED = 0  # the same prompts in every block: texts are compared over the whole run


@dataclass(frozen=True)
class Answers:
    """The answers to one prompt: alone, one after the other, and beside other prompts."""

    alone: tuple[RequestRecord, ...]
    beside: tuple[RequestRecord, ...]

    @property
    def same_alone(self) -> bool:
        """Whether every repeat is the same text."""
        return len({record.text for record in self.alone}) == 1

    @property
    def same_beside(self) -> int:
        """How many texts under load are that of the first answer alone."""
        return sum(record.text == self.alone[0].text for record in self.beside)


async def identity(
    client: Client, door: Door, criteria: Criteria, _prompt_seed: int, _surroundings: Surroundings
) -> ProtocolOutcome:
    """Each prompt alone, several times; then all of them again, so many users at once. Ends at a failed request."""
    settings = criteria.identity or Identity()
    asks = [
        Ask(load_prompt(SEED, 0, index), settings.tokens, settings.request_timeout_s)
        for index in range(settings.prompts)
    ]
    alone: list[list[RequestRecord]] = [[] for _ in asks]
    for _ in range(settings.repeats):
        for index, ask in enumerate(asks):
            alone[index].append(await send(client, door, ask))
            if not alone[index][-1].ok:
                return outcome([Answers(tuple(one), ()) for one in alone if one], settings)
    beside: list[list[RequestRecord]] = [[] for _ in asks]
    for begin in range(0, len(asks), settings.users):
        turn = [(begin + user) % len(asks) for user in range(settings.users)]
        records = await asyncio.gather(*(send(client, door, asks[index]) for index in turn))
        for index, record in zip(turn, records, strict=True):
            beside[index].append(record)
    return outcome([Answers(tuple(a), tuple(b)) for a, b in zip(alone, beside, strict=True)], settings)


def outcome(answers: Sequence[Answers], settings: Identity) -> ProtocolOutcome:
    """Shares of identical texts and one finding for each prompt that varies; pure."""
    asked = [
        Asked(f"prompt {index} {how}, answer {number_}", record)
        for index, one in enumerate(answers)
        for how, records in (("alone", one.alone), (f"beside {settings.users - 1} others", one.beside))
        for number_, record in enumerate(records)
    ]
    if (bad := spoilt(asked)) is not None:
        return bad
    loaded = [record for one in answers for record in one.beside]
    alone = sum(one.same_alone for one in answers) / len(answers)
    beside = sum(one.same_beside for one in answers) / len(loaded)
    findings = tuple(
        said
        for index, one in enumerate(answers)
        for how, records in (("alone", one.alone[1:]), ("under load", one.beside))
        if (said := _difference(index, how, one.alone[0], records)) is not None
    )
    if (settings.must != "report" and alone < 1) or (settings.must == "loaded" and beside < 1):
        return invalid(Reason.TEXT_VARIES, shortened("; ".join(findings), SHOWN), asked)
    metrics = (
        *number(Name.USER_TOK_S, 1, [user_tok_s([record for one in answers for record in one.alone])]),
        *number(Name.IDENTICAL_ALONE_SHARE, 1, [alone]),
        *number(Name.IDENTICAL_LOADED_SHARE, settings.users, [beside]),
    )
    texts = tuple(one.alone[0].text for one in answers)
    return ProtocolOutcome(metrics, None, "", tuple(one.record for one in asked), texts, findings)


def _difference(index: int, how: str, first: RequestRecord, others: Sequence[RequestRecord]) -> str | None:
    """Where a text leaves the first one, and how many bytes each has: a collapsed text is seen by its size (M6)."""
    for other in others:
        if other.text != first.text:
            pairs = zip(first.text, other.text, strict=False)
            at = next((place for place, (a, b) in enumerate(pairs) if a != b), min(len(first.text), len(other.text)))
            sizes = f"{len(first.text.encode())} and {len(other.text.encode())} bytes"
            return f"prompt {index} {how}: the text differs from character {at} on ({sizes})"
    return None
