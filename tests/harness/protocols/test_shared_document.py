"""What sharing costs is told against a single user whose document was cold."""

import pytest

from harness.protocols.cold import Coldness
from harness.protocols.shared_document import Sharing, outcome
from harness.vocabulary.outcome import Reason
from tests.harness.protocols.streams import failure, stream, values

COLD = Coldness(0, 1000, counted=True)


def sharing(*firsts_s: float, coldness: Coldness = COLD) -> Sharing:
    return Sharing(tuple(stream(0.0, first, prompt=1000) for first in firsts_s), coldness)


def test_eight_users_one_after_the_other_cost_eight_times_one() -> None:
    eight = sharing(*(2.0 * user for user in range(1, 9)), coldness=Coldness(7000, 8000, counted=True))
    seen = values(outcome([sharing(2.0), eight], 1000).metrics)
    assert seen["cost_ratio", 8] == pytest.approx(8)
    assert ("cost_ratio", 1) not in seen
    assert seen["ttft_ms", 1] == pytest.approx(2000) and seen["ttft_ms", 8] == pytest.approx(9000)
    assert seen["cached_tokens", 8] == 875


@pytest.mark.parametrize(
    ("shared", "reason"),
    [
        ([sharing(2.0, coldness=Coldness(900, 1000, counted=True))], Reason.WARM),
        ([sharing(2.0, coldness=Coldness(0, 1000, counted=False))], Reason.COLD_UNPROVEN),
        ([Sharing((failure(),), COLD)], Reason.REQUEST_FAILED),
        ([Sharing((stream(0, 1, prompt=10),), COLD)], Reason.WRONG_LENGTH),
    ],
)
def test_without_a_cold_single_user_there_is_nothing_to_compare_with(shared: list[Sharing], reason: Reason) -> None:
    found = outcome(shared, 1000)
    assert (found.metrics, found.reason) == ((), reason)
