"""Crossing probabilities and levels against published figures and plain probability."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
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
def test_published_boundaries_are_crossed_at_their_level(shape: float, level: float, last: float) -> None:
    times = np.array(FIVE)
    assert crossing(times, last * times ** (shape - 0.5))[0].sum() == pytest.approx(level, rel=0.002)


def test_the_critical_values_of_even_spending_are_the_published_ones() -> None:
    """Lan and DeMets 1983, the third function of their table: five looks, 0.025."""
    levels = nominal_levels(FIVE, [0.025 * time for time in FIVE])
    assert -special.ndtri(np.array(levels)) == pytest.approx([2.58, 2.49, 2.41, 2.34, 2.28], abs=0.006)


def test_one_look_spends_the_whole_level() -> None:
    assert nominal_levels((1.0,), (0.01,)) == pytest.approx((0.01,), rel=1e-5)


@given(st.lists(st.floats(0.01, 1), min_size=1, max_size=6), st.floats(0.001, 0.2))
def test_just_what_is_planned_is_spent(steps: list[float], level: float) -> None:
    times = np.cumsum(steps) / sum(steps)
    spent = level * times**0.7
    upper = -special.ndtri(np.array(nominal_levels([*times[:-1].tolist(), 1.0], spent.tolist())))
    assert np.cumsum(crossing(times, upper)[0]) == pytest.approx(spent, rel=0.01)


def test_what_is_left_when_nothing_leaves_downwards_is_certain_with_a_large_drift() -> None:
    times, upper = np.array(FIVE), np.full(5, 2.4)
    up, down = crossing(times, upper, drift=12.0)
    assert up.sum() == pytest.approx(1.0, abs=1e-9) and down.sum() == 0
    both = crossing(times, upper, np.full(5, -2.4))
    assert both[0] == pytest.approx(both[1], abs=1e-9), "without drift both sides are alike"


@pytest.mark.parametrize(
    ("times", "spent", "sentence"),
    [
        ((), (), "end at 1"),
        ((0.5, 0.9), (0.01, 0.02), "end at 1"),
        ((0.5, 1.0), (0.01,), "an amount for each"),
        ((0.5, 0.5, 1.0), (0.01, 0.02, 0.03), "must rise"),
        ((0.5, 1.0), (0.0, 0.01), "must rise"),
        ((0.5, 1.0), (0.1, 0.5), "below 0.5"),
    ],
)
def test_impossible_plans_are_refused(times: tuple[float, ...], spent: tuple[float, ...], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        nominal_levels(times, spent)
