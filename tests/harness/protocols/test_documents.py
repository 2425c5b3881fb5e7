"""Cold documents are proven cold; warm ones, wrong labels and failures are no numbers."""

import pytest

from harness.protocols.cold import Coldness
from harness.protocols.documents import Cell, outcome
from harness.vocabulary.outcome import Reason
from tests.harness.protocols.streams import failure, stream, values

COLD = Coldness(0, 1000, counted=True)


def cell(length: int, first_s: float, users: int = 1, coldness: Coldness = COLD) -> Cell:
    records = tuple(stream(0.0, first_s * (1 + user), prompt=length) for user in range(users))
    return Cell(length, users, records, coldness)


def test_times_rates_and_the_exponent_of_growth() -> None:
    found = outcome([cell(1000, 1.0), cell(1000, 1.0, users=3), cell(2000, 4.0)])
    seen = values(found.metrics)
    assert seen["cold_ttft_ms@1000", 1] == pytest.approx(1000)
    assert seen["cold_ttft_ms@1000", 3] == pytest.approx(2000)  # the median of 1, 2 and 3 s
    assert seen["prefill_tok_s@1000", 3] == pytest.approx(1000)  # 3,000 tokens until the last first token at 3 s
    assert seen["growth_exponent@2000", 1] == pytest.approx(2)  # twice as long, four times the time
    assert ("growth_exponent@2000", 3) not in seen and ("warm_ttft_ms@1000", 1) not in seen


def test_warm_times_stand_apart_from_cold_ones() -> None:
    warm = Cell(
        1000, 1, (stream(0, 2, prompt=1000),), COLD, (stream(0, 0.5, prompt=1000),), Coldness(960, 1000, counted=True)
    )
    seen = values(outcome([warm]).metrics)
    assert seen["cold_ttft_ms@1000", 1] == pytest.approx(2000)
    assert seen["warm_ttft_ms@1000", 1] == pytest.approx(500)
    assert seen["cached_tokens@1000", 1] == 960


@pytest.mark.parametrize(
    ("cells", "reason", "said"),
    [
        ([cell(1000, 1, coldness=Coldness(500, 1000, counted=True))], Reason.WARM, "500 of 1000 prompt tokens"),
        ([cell(1000, 1, coldness=Coldness(0, 1000, counted=False))], Reason.COLD_UNPROVEN, "neither the engine's"),
        ([Cell(4000, 1, (stream(0, 1, prompt=1000),), COLD)], Reason.WRONG_LENGTH, "counted 1000 prompt tokens"),
        ([Cell(1000, 1, (failure(),), COLD)], Reason.REQUEST_FAILED, "the sentence"),
    ],
)
def test_what_is_not_shown_to_be_cold_is_no_number(cells: list[Cell], reason: Reason, said: str) -> None:
    found = outcome(cells)
    assert (found.metrics, found.reason) == ((), reason)
    assert said in found.detail and "1 users, cold" in found.detail
