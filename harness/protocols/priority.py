"""Priority: an interactive request beside documents that were sent before it (lesson M14).

The probe is sent later on purpose, so all its times count from its own sending. It goes through an endpoint that has a
field for a priority: engines ignore one that their chat endpoint does not know.
"""

import asyncio
import json
import time
from dataclasses import dataclass, replace

from harness.client.record import RequestRecord
from harness.client.stream import Ask, Client, Door, send
from harness.protocols.base import Asked, ProtocolOutcome, Surroundings, invalid, number, spoilt
from harness.protocols.prompts import document
from harness.protocols.ruler import Ruler, measure_ruler, off_label, rulerless
from harness.vocabulary.criteria import Criteria
from harness.vocabulary.loads import Priority
from harness.vocabulary.outcome import Metric as Name
from harness.vocabulary.outcome import Reason

PROBE_WORDS = 40  # a short question
SOON_S = 0.2  # from now to the documents' sending, so that every connection is open by then


@dataclass(frozen=True)
class Probed:
    """The probe on an idle server, the documents, and the probe beside them."""

    alone: RequestRecord
    documents: tuple[RequestRecord, ...]
    beside: RequestRecord


async def priority(
    client: Client, door: Door, criteria: Criteria, prompt_seed: int, _surroundings: Surroundings
) -> ProtocolOutcome:
    """The probe alone, then documents all at once, and the probe again `delay_s` after them."""
    settings = criteria.priority or Priority()
    measured = await measure_ruler(client, door, prompt_seed, settings.request_timeout_s)
    if measured.ruler is None:
        return rulerless(measured)
    alone = await send(client, door, _probe(settings, prompt_seed, "alone"))
    if (bad := spoilt([*measured.asked, Asked("the probe alone", alone)])) is not None:
        return bad
    begin = time.perf_counter() + SOON_S
    asks = [replace(ask, due=begin) for ask in _documents(settings, measured.ruler, prompt_seed)]
    probe = replace(_probe(settings, prompt_seed, "beside"), due=begin + settings.delay_s)
    *sent, beside = await asyncio.gather(*(send(client, door, ask) for ask in (*asks, probe)))
    return outcome(Probed(alone, tuple(sent), beside), settings, measured.asked)


def _probe(settings: Priority, seed: int, key: str) -> Ask:
    return Ask(
        document(seed, f"priority/{key}", PROBE_WORDS),
        settings.tokens,
        settings.request_timeout_s,
        exact=not settings.path.endswith("/responses"),  # that endpoint has no word for "exactly so many"
        extra_json=json.dumps({"priority": settings.priority}),
        path=settings.path,
    )


def _documents(settings: Priority, ruler: Ruler, seed: int) -> list[Ask]:
    words = ruler.words(settings.length)
    extra = json.dumps({"priority": settings.document_priority}) if settings.document_priority else "{}"
    return [
        Ask(
            document(seed, f"priority/{user}", words),
            settings.document_tokens,
            settings.request_timeout_s,
            extra_json=extra,
        )
        for user in range(settings.documents)
    ]


def outcome(probed: Probed, settings: Priority, before: tuple[Asked, ...] = ()) -> ProtocolOutcome:
    """Metrics and one finding, or the reason why there are none; pure.

    `probe_done_share`: of the time from the probe's sending to the end of the last document, the share after which the
    probe was done; 1 means that it ended exactly when the documents did, whatever its priority.
    """
    documents = tuple(Asked(f"document {user}", one) for user, one in enumerate(probed.documents))
    probes = (Asked("the probe alone", probed.alone), Asked("the probe beside documents", probed.beside))
    asked = [*before, *documents, *probes]
    if (bad := spoilt(asked)) is not None:
        return bad
    for one in documents:
        if (said := off_label(one.record, settings.length)) is not None:
            return invalid(Reason.WRONG_LENGTH, f"{one.place}: {said}", asked)
    begun = min(one.t_send for one in probed.documents)
    ended = max(one.t_end for one in probed.documents)
    if probed.beside.t_send >= ended:
        said = f"every document was done {probed.beside.t_send - ended:.1f} s before the probe was sent"
        return invalid(Reason.NOT_REACHED, f"{said}; lower delay_s or make the documents longer", asked)
    share = (probed.beside.t_end - probed.beside.t_send) / (ended - probed.beside.t_send)
    load = len(documents)
    metrics = (
        *number(Name.PROBE_TTFT_MS, load, [probed.beside.ttft_ms]),
        *number(Name.PROBE_ALONE_TTFT_MS, load, [probed.alone.ttft_ms]),
        *number(Name.PROBE_DONE_SHARE, load, [share]),
        *number(Name.DOCUMENTS_DONE_S, load, [ended - begun]),
    )
    finding = (
        f"the probe with priority {settings.priority} had its first token after {probed.beside.ttft_ms / 1000:.2f} s "
        f"({probed.alone.ttft_ms / 1000:.2f} s alone), counted from its own sending "
        f"{probed.beside.t_send - begun:.2f} s after the documents"
    )
    return ProtocolOutcome(metrics, None, "", tuple(one.record for one in asked), findings=(finding,))
