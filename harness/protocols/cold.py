"""Whether prompts were computed or taken from a cache: by the answers' usage and by the engine's counters. Pure.

A "cold" number of a prompt that was warm is the commonest wrong number of long documents: 216.67 s were shown where
412.42 s were true (lesson M7). So cold has to be shown, and where nothing shows it there is no number.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from harness.client.record import RequestRecord
from harness.client.stream import Door
from harness.protocols.base import CacheCount
from harness.vocabulary.outcome import Reason

# Counters of prompt tokens taken from the prefix cache, by the names engines gave them over time; vLLM since its V1.
HITS = (
    "vllm:prefix_cache_hits_total",
    "vllm:prefix_cache_hits",
    "vllm:gpu_prefix_cache_hits_total",
    "sglang:cached_tokens_total",
)
COMPUTED = ("llamacpp:prompt_tokens_total",)  # counts prompt tokens that it really computed
# The opening words of a chat template are the same in every prompt, so that they may come from a cache.
COLD_SHARE = 0.02
COLD_FIELD = "cache_prompt"  # llama.cpp's word for "may this prompt use the cache"


@dataclass(frozen=True)
class Coldness:
    """How many prompt tokens of some requests came from a cache, and what shows it."""

    cached: int
    prompt: int
    counted: bool  # whether the engine's counters were there

    @property
    def fault(self) -> Reason | None:
        """Why these requests do not count as cold; none if they do."""
        if self.cached > COLD_SHARE * self.prompt:
            return Reason.WARM
        return None if self.counted else Reason.COLD_UNPROVEN

    @property
    def sentence(self) -> str:
        """What was seen, in words."""
        if self.fault is Reason.COLD_UNPROVEN:
            return "neither the engine's counters nor its usage say whether the prompts came from a cache"
        return f"{self.cached} of {self.prompt} prompt tokens came from a cache"


def cache_count(metrics: Mapping[str, float]) -> CacheCount | None:
    """The engine's own count, none where it publishes none of the known counters."""
    hits = next((int(metrics[name]) for name in HITS if name in metrics), None)
    computed = next((int(metrics[name]) for name in COMPUTED if name in metrics), None)
    return None if hits is None and computed is None else CacheCount(computed, hits)


def coldness(records: Sequence[RequestRecord], before: CacheCount | None, after: CacheCount | None) -> Coldness:
    """Of all requests that were sent between two readings of the counters; the larger of both counts holds."""
    prompt = sum(record.prompt_tokens for record in records)
    by_usage = sum(record.cached_tokens for record in records)
    by_counter = _between(prompt, before, after)
    return Coldness(max(by_usage, by_counter or 0), prompt, by_counter is not None)


def _between(prompt: int, before: CacheCount | None, after: CacheCount | None) -> int | None:
    if before is None or after is None:
        return None
    if before.hits is not None and after.hits is not None:
        return after.hits - before.hits
    if before.computed is not None and after.computed is not None:
        return max(0, prompt - (after.computed - before.computed))
    return None


def caching(door: Door) -> Door:
    """The same door, asked as users ask: the engine may use its cache."""

    def sampling(tokens: int) -> tuple[tuple[str, bool | int | float | str], ...]:
        return tuple((key, value) for key, value in door.sampling(tokens) if key != COLD_FIELD)

    return replace(door, sampling=sampling)
