"""Vision tokens: how many prompt tokens a picture becomes, by its size, and what it costs until the first token."""

import json
from collections.abc import Sequence

from harness.client.record import RequestRecord
from harness.client.stream import Ask, Client, Door, send
from harness.protocols.base import Asked, ProtocolOutcome, Surroundings, invalid, number, spoilt
from harness.protocols.picture import data_url, png
from harness.vocabulary.criteria import Criteria
from harness.vocabulary.loads import Vision
from harness.vocabulary.outcome import Metric as Name
from harness.vocabulary.outcome import Reason
from ledger.entries import Metric

PATH = "/v1/chat/completions"  # the endpoint that takes pictures
QUESTION = "Describe what you see in a few sentences."


async def vision(
    client: Client, door: Door, criteria: Criteria, prompt_seed: int, _surroundings: Surroundings
) -> ProtocolOutcome:
    """The question without a picture, then with one of each size."""
    settings = criteria.vision or Vision()
    records: list[RequestRecord] = []
    for side in (0, *settings.sides):
        content: list[dict[str, object]] = [{"type": "text", "text": QUESTION}]
        if side:
            content.append({"type": "image_url", "image_url": {"url": data_url(png(prompt_seed, "vision", side))}})
        messages = json.dumps([{"role": "user", "content": content}])
        ask = Ask(QUESTION, settings.tokens, settings.request_timeout_s, path=PATH, messages_json=messages)
        records.append(await send(client, door, ask))
        if not records[-1].ok:
            break
    return outcome(records, settings.sides)


def outcome(records: Sequence[RequestRecord], sides: Sequence[int]) -> ProtocolOutcome:
    """Prompt tokens with each picture less those without one; pure. `records[0]` is the question alone."""
    places = ("no picture", *(f"picture of {side} pixels" for side in sides))
    asked = [Asked(place, record) for place, record in zip(places, records, strict=False)]
    if (bad := spoilt(asked)) is not None:
        return bad
    bare, *pictured = records
    metrics: list[Metric] = []
    for side, record in zip(sides, pictured, strict=True):
        more = record.prompt_tokens - bare.prompt_tokens
        if more <= 0:
            said = f"a picture of {side} pixels a side adds {more} prompt tokens, so that nobody has looked at it"
            return invalid(Reason.IMAGE_IGNORED, said, asked)
        metrics += number(Name.VISION_TOKENS, 1, [float(more)], side)
        metrics += number(Name.TTFT_MS, 1, [record.ttft_ms], side)
    return ProtocolOutcome(tuple(metrics), None, "", tuple(records))
