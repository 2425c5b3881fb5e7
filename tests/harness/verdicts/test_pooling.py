"""The test that allows pooling."""

import numpy as np
import pytest

from harness.planning.power import CONTROL_FACTOR, POOLING_LEVEL, SAFE_ARMS, share_tested
from harness.verdicts.pooling import may_pool, residuals


def test_residuals_of_a_layout_worked_by_hand() -> None:
    logs = np.array([[1.0, 2.0], [3.0, 8.0]])
    assert residuals(logs).tolist() == [[1.0, -1.0], [-1.0, 1.0]]


@pytest.mark.parametrize("arms", [1, 4, 5])
def test_the_test_keeps_its_level_where_the_spread_is_the_same(arms: int) -> None:
    logs = np.random.default_rng(3).normal(size=(20_000, 4, arms + 2))
    level = POOLING_LEVEL * share_tested(arms)
    refused = 1 - may_pool(logs).mean()
    assert 0.92 * level - 0.004 < refused <= level + 0.007, "Bonferroni over dependent tests: nearly the level"


@pytest.mark.parametrize(("arms", "pools"), [(1, True), (SAFE_ARMS, True), (SAFE_ARMS + 1, False)])
def test_controls_that_spread_more_are_looked_at_only_where_they_could_make_a_bound_too_narrow(
    arms: int, pools: bool
) -> None:
    logs = np.random.default_rng(5).normal(size=(500, 12, arms + 2)) * np.array([9.0, 9.0, *(1.0,) * arms])
    assert bool(may_pool(logs).mean() > 0.9) is pools
    pooled = CONTROL_FACTOR * (2 * 81 + arms) / (arms + 2)  # what a bound uses; 1 + 81/2 is true
    assert (pooled >= 1 + 81 / 2) is pools


def test_one_noisy_arm_is_seen_more_often_with_more_blocks() -> None:
    spread = np.array([1, 1, 1, 1, 1, 3.0])
    draw = np.random.default_rng(4).normal
    at_four = 1 - may_pool(draw(size=(5_000, 4, 6)) * spread).mean()
    at_eight = 1 - may_pool(draw(size=(5_000, 8, 6)) * spread).mean()
    assert 0.68 < at_four < 0.78 and at_eight > 0.92


def test_two_controls_alone_have_nothing_to_compare() -> None:
    assert may_pool(np.zeros((4, 2))).all()


def test_no_spread_at_all_is_the_same_spread() -> None:
    assert may_pool(np.zeros((4, 5))).all()
