"""Crossing probabilities and levels against published figures and plain probability."""

import numpy as np
import pytest
from scipy import special

from harness.planning.boundaries import crossing, nominal_levels

FIVE = (0.2, 0.4, 0.6, 0.8, 1.0)


@pytest.mark.parametrize(
    ("shape", "level", "last"),
    [
        # Jennison and Turnbull, Group Sequential Methods, tables 2.1, 2.3 and 2.9: two-sided, five looks
        (0.5, 0.025, 2.413),
        (0.0, 0.025, 2.040),
        (0.25, 0.025, 2.136),
        (0.5, 0.005, 2.986),
        (0.0, 0.005, 2.621),
    ],
)
def test_the_last_critical_value_is_the_published_one(shape: float, level: float, last: float) -> None:
    assert -special.ndtri(nominal_levels(FIVE, level, shape)[-1]) == pytest.approx(last, abs=0.0035)


def test_one_look_spends_the_whole_level() -> None:
    assert nominal_levels((1.0,), 0.01) == pytest.approx((0.01,), rel=1e-5)


def test_levels_rise_over_the_looks_and_each_is_below_the_whole() -> None:
    levels = nominal_levels(FIVE, 0.01)
    assert list(levels) == sorted(levels) and max(levels) < 0.01 < sum(levels)


def test_what_is_left_when_nothing_leaves_downwards_is_certain_with_a_large_drift() -> None:
    times, upper = np.array(FIVE), np.full(5, 2.4)
    up, down = crossing(times, upper, drift=12.0)
    assert up.sum() == pytest.approx(1.0, abs=1e-9) and down.sum() == 0
    both = crossing(times, upper, np.full(5, -2.4))
    assert both[0] == pytest.approx(both[1], abs=1e-9), "without drift both sides are alike"


@pytest.mark.parametrize(
    ("fractions", "level", "sentence"),
    [
        ((), 0.01, "end at 1"),
        ((0.5, 0.9), 0.01, "end at 1"),
        ((0.5, 0.5, 1.0), 0.01, "that rise"),
        ((0.5, 1.0), 0.5, "between 0 and 0.5"),
        ((0.5, 1.0), 0.0, "between 0 and 0.5"),
    ],
)
def test_impossible_plans_are_refused(fractions: tuple[float, ...], level: float, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        nominal_levels(fractions, level)
