"""The test that allows pooling."""

import numpy as np
import pytest
from numpy.typing import NDArray

from harness.planning.power import CONTROL_FACTOR, POOLING_LEVEL, SAFE_ARMS, share_tested
from harness.verdicts.moments import moments
from harness.verdicts.pooling import may_pool


def pools(logs: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Of logs of the shape (..., blocks, treatments)."""
    return may_pool(moments(logs).squares, logs.shape[-2])


@pytest.mark.parametrize("arms", [1, 4, 5])
def test_the_test_keeps_its_level_where_the_spread_is_the_same(arms: int) -> None:
    logs = np.random.default_rng(3).normal(size=(20_000, 4, arms + 2))
    level = POOLING_LEVEL * share_tested(arms)
    refused = 1 - pools(logs).mean()
    assert 0.92 * level - 0.004 < refused <= level + 0.007, "Bonferroni over dependent tests: nearly the level"


@pytest.mark.parametrize(("arms", "allowed"), [(1, True), (SAFE_ARMS, True), (SAFE_ARMS + 1, False)])
def test_controls_that_spread_more_are_looked_at_only_where_they_could_make_a_bound_too_narrow(
    arms: int, allowed: bool
) -> None:
    logs = np.random.default_rng(5).normal(size=(500, 12, arms + 2)) * np.array([9.0, 9.0, *(1.0,) * arms])
    assert bool(pools(logs).mean() > 0.9) is allowed
    pooled = CONTROL_FACTOR * (2 * 81 + arms) / (arms + 2)  # what a bound uses; 1 + 81/2 is true
    assert (pooled >= 1 + 81 / 2) is allowed


def test_one_noisy_arm_is_seen_more_often_with_more_blocks() -> None:
    spread = np.array([1, 1, 1, 1, 1, 3.0])
    draw = np.random.default_rng(4).normal
    at_four = 1 - pools(draw(size=(5_000, 4, 6)) * spread).mean()
    at_eight = 1 - pools(draw(size=(5_000, 8, 6)) * spread).mean()
    assert 0.68 < at_four < 0.78 and at_eight > 0.92


def test_two_controls_alone_have_nothing_to_compare() -> None:
    assert pools(np.zeros((4, 2))).all()


def test_no_spread_at_all_is_the_same_spread() -> None:
    assert pools(np.zeros((4, 5))).all()
