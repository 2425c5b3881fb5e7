"""A soak fails for failures, for standing still and for what grows; each has its own reason."""

import pytest

from harness.protocols.base import ProcessUse
from harness.protocols.growth import Look
from harness.protocols.soak import Soaked, longest_gap_s, outcome
from harness.vocabulary.loads import Soak
from harness.vocabulary.outcome import Reason
from tests.harness.protocols.streams import failure, stream, values

SETTINGS = Soak(seconds=3600, users=2, stall_s=30)


def looks(mib: float = 0.0, descriptors: float = 0.0) -> tuple[Look, ...]:
    """An hour of looks at one process that gains so much in it."""
    return tuple(
        Look(60.0 * index, (ProcessUse(7, "worker", 100 + mib * index / 60, round(40 + descriptors * index / 60)),))
        for index in range(61)
    )


def soaked(watched: tuple[Look, ...], *more: object) -> Soaked:
    users = (tuple(stream(10.0 * n, 10.0 * n + 1, 0.5, 19) for n in range(20)), (stream(0.0, 3.0), *more))
    return Soaked(users, watched, 0.0, 200.0)  # type: ignore[arg-type]


def test_a_good_soak() -> None:
    found = outcome(soaked(looks(6.0)), SETTINGS)
    seen = values(found.metrics)
    assert found.reason is None
    assert seen["total_tok_s", 2] == pytest.approx((20 * 19 + 11) / 200)
    assert seen["ttft_ms", 2] == pytest.approx(1000) and seen["ttft_p95_ms", 2] == pytest.approx(1000)
    assert seen["longest_gap_ms", 2] == pytest.approx(1000)
    assert seen["failures", 2] == 0
    assert seen["growth_mib_h", 2] == pytest.approx(6)
    assert seen["growth_low_mib_h", 2] <= seen["growth_mib_h", 2] <= seen["growth_high_mib_h", 2]
    assert seen["descriptors_h", 2] == pytest.approx(0)
    assert found.findings == ("pid 7 (worker): 106.0 MiB, +6.0 MiB an hour (+6.0 to +6.0), +0.0 descriptors an hour",)


@pytest.mark.parametrize(
    ("given", "reason", "said"),
    [
        (soaked(looks(), failure()), Reason.REQUEST_FAILED, "1 of 22 requests failed, 0 may; the first was user 1"),
        (soaked(looks(90.0)), Reason.MEMORY_GROWS, "+90.0 MiB an hour"),
        (soaked(looks(0.0, 90.0)), Reason.DESCRIPTORS_GROW, "descriptors an hour"),
        (soaked(()), Reason.NO_PROOF, "no process of the server"),
        (
            Soaked(((stream(0, 1), stream(100, 101)),), looks(), 0.0, 110.0),
            Reason.STALLED,
            "no token of any user came for 99.0 s, 30 s are allowed",
        ),
    ],
)
def test_what_ends_a_soak(given: Soaked, reason: Reason, said: str) -> None:
    found = outcome(given, SETTINGS)
    assert (found.metrics, found.reason) == ((), reason)
    assert said in found.detail


def test_failures_that_are_allowed_are_counted_and_leave_the_rates_alone() -> None:
    seen = values(outcome(soaked(looks(), failure()), SETTINGS.model_copy(update={"max_failures": 1})).metrics)
    assert seen["failures", 2] == 1
    assert seen["total_tok_s", 2] == pytest.approx((20 * 19 + 11) / 200)


def test_nothing_but_failures_is_no_soak() -> None:
    found = outcome(Soaked(((failure(),),), looks(), 0.0, 1.0), SETTINGS.model_copy(update={"max_failures": 5}))
    assert (found.metrics, found.reason) == ((), Reason.REQUEST_FAILED)


def test_the_longest_gap_is_over_all_users_and_to_the_end() -> None:
    one, other = stream(0, 1, 1.0, 3), stream(0, 5, 1.0, 2)  # 1 2 3 and 5 6
    assert longest_gap_s([one, other], 0.0, 6.0) == 2
    assert longest_gap_s([one], 0.0, 3.0) == 1
    assert longest_gap_s([one, failure(3, 30)], 0.0, 30.0) == 27  # nothing came any more
