"""Nested prefix: whether a prompt that continues an earlier one is served from a cache (lesson M7).

Lengths measured by growing one prompt are warm without anybody noticing: 216.67 s were shown where 412.42 s were true.
This check says whether that would happen here, and by how much.
"""

from dataclasses import dataclass

from harness.client.record import RequestRecord
from harness.client.stream import Ask, Client, Door, send
from harness.protocols.base import Asked, ProtocolOutcome, Surroundings, invalid, number, spoilt
from harness.protocols.cold import COLD_SHARE, Coldness, caching, coldness
from harness.protocols.prompts import document
from harness.protocols.ruler import measure_ruler, off_label, rulerless
from harness.vocabulary.criteria import Criteria
from harness.vocabulary.loads import NestedPrefix
from harness.vocabulary.outcome import Metric as Name
from harness.vocabulary.outcome import Reason

# A nested prompt that comes so much sooner than a cold one of the same length was cached, whatever the counters say.
HIDDEN_WARMTH = 1.3


@dataclass(frozen=True)
class Nested:
    """The inner prompt, the outer one that continues it, and a cold one as long as the outer."""

    inner: RequestRecord
    outer: RequestRecord
    cold: RequestRecord
    outer_seen: Coldness
    cold_seen: Coldness


async def nested_prefix(
    client: Client, door: Door, criteria: Criteria, prompt_seed: int, surroundings: Surroundings
) -> ProtocolOutcome:
    """Three prompts, one after the other. The engine may use its cache, as it does for users."""
    settings = criteria.nested_prefix or NestedPrefix()
    measured = await measure_ruler(client, door, prompt_seed, settings.request_timeout_s)
    if measured.ruler is None:
        return rulerless(measured)
    ruler, open_door = measured.ruler, caching(door)
    inner = document(prompt_seed, "nested/inner", ruler.words(settings.length))
    outer = f"{inner} {document(prompt_seed, 'nested/outer', round(settings.length / ruler.per_word))}"
    cold = document(prompt_seed, "nested/cold", ruler.words(2 * settings.length))
    asks = [Ask(text, settings.tokens, settings.request_timeout_s) for text in (inner, outer, cold)]
    first = await send(client, open_door, asks[0])
    before = await surroundings.cache()
    second = await send(client, open_door, asks[1])
    between = await surroundings.cache()
    third = await send(client, open_door, asks[2])
    seen = coldness([third], between, await surroundings.cache())
    nested = Nested(first, second, third, coldness([second], before, between), seen)
    return outcome(nested, settings.length, measured.asked)


def outcome(nested: Nested, length: int, before: tuple[Asked, ...] = ()) -> ProtocolOutcome:
    """Metrics and one finding, or the reason why there are none; pure."""
    named = (("inner", nested.inner, length), ("outer", nested.outer, 2 * length), ("cold", nested.cold, 2 * length))
    asked = [*before, *(Asked(f"{place} prompt", record) for place, record, _ in named)]
    if (bad := spoilt(asked)) is not None:
        return bad
    for place, record, label in named:
        if (said := off_label(record, label)) is not None:
            return invalid(Reason.WRONG_LENGTH, f"{place} prompt: {said}", asked)
    if (reason := nested.cold_seen.fault) is not None:
        return invalid(reason, f"cold prompt: {nested.cold_seen.sentence}", asked)
    warmth = nested.cold.ttft_ms / nested.outer.ttft_ms
    metrics = (
        *number(Name.COLD_TTFT_MS, 1, [nested.cold.ttft_ms]),
        *number(Name.NESTED_TTFT_MS, 1, [nested.outer.ttft_ms]),
        *number(Name.NESTED_WARMTH, 1, [warmth]),
        *number(Name.CACHED_TOKENS, 1, [float(nested.outer_seen.cached)]),
    )
    return ProtocolOutcome(metrics, None, "", tuple(one.record for one in asked), findings=(_finding(nested, warmth),))


def _finding(nested: Nested, warmth: float) -> str:
    cached, prompt = nested.outer_seen.cached, nested.outer_seen.prompt
    if cached > COLD_SHARE * prompt:
        return (
            f"nested prompts are warm here: {cached} of {prompt} tokens came from a cache, {warmth:.2f} times as fast"
        )
    if warmth > HIDDEN_WARMTH:
        return f"nested prompts come {warmth:.2f} times as fast as cold ones, although no counter says they are cached"
    return f"nested prompts are cold here: {cached} of {prompt} tokens came from a cache"
