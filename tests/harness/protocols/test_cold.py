"""Cold is shown by counters, a cached prompt is never cold, and nothing shown is not cold."""

from dataclasses import replace

import pytest

from harness.client.stream import Door
from harness.protocols.base import CacheCount
from harness.protocols.cold import cache_count, caching, coldness
from harness.vocabulary.outcome import Reason
from tests.harness.protocols.streams import stream

CACHED = replace(stream(0, 1, prompt=1000), cached_tokens=900)
RECORDS = [stream(0, 1, prompt=1000), stream(0, 1, prompt=1000)]


def test_counters_of_engines_are_found_by_their_names() -> None:
    assert cache_count({"vllm:prefix_cache_hits_total": 32.0}) == CacheCount(None, 32)
    assert cache_count({"vllm:gpu_prefix_cache_hits_total": 16.0}) == CacheCount(None, 16)
    assert cache_count({"llamacpp:prompt_tokens_total": 500.0}) == CacheCount(500, None)
    assert cache_count({"http_requests_total": 5.0}) is None


@pytest.mark.parametrize(
    ("before", "after", "cached", "fault"),
    [
        (CacheCount(hits=0), CacheCount(hits=0), 0, None),
        (CacheCount(hits=64), CacheCount(hits=104), 40, None),  # 2 %: the template's opening words
        (CacheCount(hits=64), CacheCount(hits=105), 41, Reason.WARM),
        (CacheCount(computed=100), CacheCount(computed=2100), 0, None),
        (CacheCount(computed=100), CacheCount(computed=1100), 1000, Reason.WARM),
        (None, None, 0, Reason.COLD_UNPROVEN),
        (CacheCount(hits=0), None, 0, Reason.COLD_UNPROVEN),
        (CacheCount(hits=0), CacheCount(computed=0), 0, Reason.COLD_UNPROVEN),
    ],
)
def test_what_counters_say(
    before: CacheCount | None, after: CacheCount | None, cached: int, fault: Reason | None
) -> None:
    seen = coldness(RECORDS, before, after)
    assert (seen.cached, seen.prompt, seen.fault) == (cached, 2000, fault)


def test_usage_alone_shows_warm_but_never_cold() -> None:
    assert coldness([CACHED], None, None).fault is Reason.WARM
    assert coldness([stream(0, 1, prompt=1000)], None, None).fault is Reason.COLD_UNPROVEN
    both = coldness([CACHED], CacheCount(hits=0), CacheCount(hits=0))
    assert both.fault is Reason.WARM  # the larger count holds


def test_users_let_the_engine_cache() -> None:
    door = Door("http://127.0.0.1:1", "chat", "m", lambda n: (("max_tokens", n), ("cache_prompt", False)))
    assert caching(door).sampling(5) == (("max_tokens", 5),)
