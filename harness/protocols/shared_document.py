"""Shared document: several users at once on one document, the same to the byte, each with a question of his own (M8).

Eight users on one byte-identical document cost eight times one user on the seeds' server; where prefixes are shared,
the ratio is near 1.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from harness.client.record import RequestRecord
from harness.client.stream import Ask, Client, Door, send
from harness.protocols.base import Asked, ProtocolOutcome, Surroundings, invalid, number, spoilt
from harness.protocols.cold import Coldness, caching, coldness
from harness.protocols.prompts import document
from harness.protocols.rates import prefill_s
from harness.protocols.ruler import measure_ruler, off_label, rulerless
from harness.vocabulary.criteria import Criteria
from harness.vocabulary.loads import SharedDocument
from harness.vocabulary.outcome import Metric as Name
from harness.vocabulary.outcome import Reason
from ledger.entries import Metric


@dataclass(frozen=True)
class Sharing:
    """One number of users on one document that no one has asked before."""

    records: tuple[RequestRecord, ...]
    coldness: Coldness

    @property
    def users(self) -> int:
        """Users at once."""
        return len(self.records)

    @property
    def asked(self) -> tuple[Asked, ...]:
        """Its requests."""
        return tuple(Asked(f"{self.users} users, user {user}", one) for user, one in enumerate(self.records))


async def shared_document(
    client: Client, door: Door, criteria: Criteria, prompt_seed: int, surroundings: Surroundings
) -> ProtocolOutcome:
    """From one user up, each number of users on a fresh document. The engine may use its cache, as for any user."""
    settings = criteria.shared_document or SharedDocument()
    measured = await measure_ruler(client, door, prompt_seed, settings.request_timeout_s)
    if measured.ruler is None:
        return rulerless(measured)
    shared: list[Sharing] = []
    for users in sorted(set(settings.users)):
        text = document(prompt_seed, f"shared/{users}", measured.ruler.words(settings.length))
        asks = [
            Ask(f"{text} Question {user + 1}: what is it about?", settings.tokens, settings.request_timeout_s)
            for user in range(users)
        ]
        before = await surroundings.cache()
        records = tuple(await asyncio.gather(*(send(client, caching(door), ask) for ask in asks)))
        shared.append(Sharing(records, coldness(records, before, await surroundings.cache())))
        if fault(shared, settings.length, measured.asked) is not None:
            break
    return outcome(shared, settings.length, measured.asked)


def fault(shared: Sequence[Sharing], length: int, before: Sequence[Asked]) -> ProtocolOutcome | None:
    """The outcome of the first step that cannot be used; none if all can. A single user's document must be cold."""
    asked = [*before, *(one for step in shared for one in step.asked)]
    if (bad := spoilt(asked)) is not None:
        return bad
    for one in (one for step in shared for one in step.asked):
        if (said := off_label(one.record, length)) is not None:
            return invalid(Reason.WRONG_LENGTH, f"{one.place}: {said}", asked)
    for step in (step for step in shared if step.users == 1):
        if (reason := step.coldness.fault) is not None:
            return invalid(reason, f"a single user's document: {step.coldness.sentence}", asked)
    return None


def outcome(shared: Sequence[Sharing], length: int, before: Sequence[Asked] = ()) -> ProtocolOutcome:
    """Metrics of all steps, or the reason why there are none; pure. The first step is the single user's."""
    if (bad := fault(shared, length, before)) is not None:
        return bad
    alone_s = prefill_s(shared[0].records)
    metrics: list[Metric] = []
    for step in shared:
        metrics += number(Name.TTFT_MS, step.users, [median(record.ttft_ms for record in step.records)])
        metrics += number(Name.CACHED_TOKENS, step.users, [step.coldness.cached / step.users])
        if step.users > 1:
            metrics += number(Name.COST_RATIO, step.users, [prefill_s(step.records) / alone_s])
    records = tuple(one.record for one in (*before, *(one for step in shared for one in step.asked)))
    return ProtocolOutcome(tuple(metrics), None, "", records)
