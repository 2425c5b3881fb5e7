"""A prompt that continues an earlier one: warm, cold, or warm without a counter that says so."""

import pytest

from harness.protocols.cold import Coldness
from harness.protocols.nested_prefix import Nested, outcome
from harness.vocabulary.outcome import Reason
from tests.harness.protocols.streams import failure, stream, values

COLD = Coldness(0, 2000, counted=True)
INNER = stream(0, 1, prompt=1000)


def nested(outer_s: float, outer: Coldness = COLD, cold: Coldness = COLD) -> Nested:
    return Nested(INNER, stream(2, 2 + outer_s, prompt=2000), stream(9, 13, prompt=2000), outer, cold)


@pytest.mark.parametrize(
    ("given", "warmth", "said"),
    [
        (nested(2.0, Coldness(1008, 2000, counted=True)), 2, "warm here: 1008 of 2000 tokens came from a cache, 2.00"),
        (nested(4.0), 1, "cold here: 0 of 2000"),
        (nested(2.0), 2, "2.00 times as fast as cold ones, although no counter says"),
    ],
)
def test_how_warm_a_nested_prompt_is(given: Nested, warmth: float, said: str) -> None:
    found = outcome(given, 1000)
    seen = values(found.metrics)
    assert seen["cold_ttft_ms", 1] == pytest.approx(4000)
    assert seen["nested_warmth", 1] == pytest.approx(warmth)
    assert said in found.findings[0]


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (nested(2.0, cold=Coldness(900, 2000, counted=True)), Reason.WARM),
        (nested(2.0, cold=Coldness(0, 2000, counted=False)), Reason.COLD_UNPROVEN),
        (Nested(INNER, failure(), failure(), COLD, COLD), Reason.REQUEST_FAILED),
        (Nested(INNER, INNER, INNER, COLD, COLD), Reason.WRONG_LENGTH),
    ],
)
def test_the_cold_one_has_to_be_cold(given: Nested, reason: Reason) -> None:
    found = outcome(given, 1000)
    assert (found.metrics, found.reason) == ((), reason)
