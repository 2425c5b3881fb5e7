"""How long production will be away."""

import math

import pytest

from harness.planning import LaunchTime, estimate, ladder_s
from harness.vocabulary.criteria import Ladder


def test_every_launch_counts_and_production_starts_once_more() -> None:
    launch = LaunchTime(start_s=2, protocol_s=10, gates_s=3, stop_s=1)
    assert launch.total_s == 16
    assert estimate(24, launch) == 24 * 16 + 2


def test_a_ladder_takes_at_most_as_long_as_its_users_one_after_the_other() -> None:
    assert ladder_s(Ladder(steps=(1, 2, 4, 2, 1), tokens=64), user_tok_s=64) == pytest.approx(10)


@pytest.mark.parametrize("launches", [-1])
def test_a_negative_count_is_refused(launches: int) -> None:
    with pytest.raises(ValueError, match="not -1 launches"):
        estimate(launches, LaunchTime(1, 1))


@pytest.mark.parametrize("bad", [-1.0, math.nan, math.inf])
def test_a_time_that_is_none_is_refused(bad: float) -> None:
    with pytest.raises(ValueError, match="times of 0 or more"):
        estimate(1, LaunchTime(1, bad))


@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan, math.inf])
def test_a_rate_that_is_none_is_refused(bad: float) -> None:
    with pytest.raises(ValueError, match="must be above 0"):
        ladder_s(Ladder(), bad)
