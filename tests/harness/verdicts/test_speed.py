"""Bounds and words: exclusive, mirrored, never forced."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from harness.verdicts.layout import fit
from harness.verdicts.speed import Bounds, arm_bounds, placebo_bounds, placebo_differs, speeds

TEN = math.log(1.1)


def word(estimate: float, low: float, high: float, effect_pct: float = 10, lower_is_better: bool = False) -> str:
    bounds = Bounds(np.array([low]), np.array([high]))
    return str(speeds(np.array([estimate]), bounds, effect_pct, lower_is_better)[0])


@pytest.mark.parametrize(
    ("estimate", "low", "high", "said"),
    [
        (TEN, 0.001, 0.3, "FASTER"),
        (TEN - 1e-9, 0.001, 0.3, "AMBIGUOUS"),
        (TEN, 0.0, 0.3, "AMBIGUOUS"),
        (-TEN, -0.3, -0.001, "SLOWER"),
        (-TEN + 1e-9, -0.3, -0.001, "AMBIGUOUS"),
        (-TEN, -0.3, 0.0, "AMBIGUOUS"),
        (0.0, -0.09, 0.09, "SAME"),
        (0.0, -TEN, 0.09, "AMBIGUOUS"),
        (0.0, -0.09, TEN, "AMBIGUOUS"),
        (0.05, 0.03, 0.07, "SAME"),
    ],
)
def test_the_words_at_their_edges(estimate: float, low: float, high: float, said: str) -> None:
    assert word(estimate, low, high) == said


@given(st.floats(-2, 2), st.floats(0, 2), st.floats(0.1, 100))
def test_no_two_words_at_once_and_a_mirror_for_lower_is_better(estimate: float, half: float, effect: float) -> None:
    low, high, log_effect = estimate - half, estimate + half, math.log1p(effect / 100)
    true = [
        low > 0 and estimate >= log_effect,
        high < 0 and estimate <= -log_effect,
        low > -log_effect and high < log_effect,
    ]
    assert sum(true) <= 1
    said = word(estimate, low, high, effect)
    assert said == next(
        (name for name, is_so in zip(("FASTER", "SLOWER", "SAME"), true, strict=True) if is_so), "AMBIGUOUS"
    )
    turned = {"FASTER": "SLOWER", "SLOWER": "FASTER"}
    assert word(estimate, low, high, effect, lower_is_better=True) == turned.get(said, said)
    assert word(-estimate, -high, -low, effect) == turned.get(said, said)


def test_bounds_use_student_and_the_divided_level() -> None:
    fitted = fit(np.random.default_rng(8).normal(size=(4, 6)) / 10)
    bounds = arm_bounds(fitted, level=0.05, planned_arms=5)
    half = stats.t.isf(0.01, fitted.freedom) * fitted.launch_sd * math.sqrt(1.5 / 4)
    assert bounds.low == pytest.approx(fitted.estimate - half)
    assert bounds.high == pytest.approx(fitted.estimate + half)


def test_the_placebo_interval_is_two_sided_at_one_percent() -> None:
    fitted = fit(np.random.default_rng(9).normal(size=(4, 6)) / 10)
    null = placebo_bounds(fitted)
    half = stats.t.isf(0.005, int(fitted.placebo_freedom)) * float(fitted.placebo_sd) * math.sqrt(2 / 4)
    assert float(null.high - null.low) == pytest.approx(2 * half)


def test_the_placebo_voids_one_good_run_in_a_hundred() -> None:
    fitted = fit(np.random.default_rng(10).normal(size=(20_000, 4, 6)))
    assert 0.007 < placebo_differs(placebo_bounds(fitted)).mean() < 0.014
