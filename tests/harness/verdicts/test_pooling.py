"""The test that allows pooling."""

import numpy as np

from harness.planning.power import POOLING_LEVEL
from harness.verdicts.pooling import may_pool, residuals


def test_residuals_of_a_layout_worked_by_hand() -> None:
    logs = np.array([[1.0, 2.0], [3.0, 8.0]])
    assert residuals(logs).tolist() == [[1.0, -1.0], [-1.0, 1.0]]


def test_the_test_keeps_its_level_where_the_spread_is_the_same() -> None:
    logs = np.random.default_rng(3).normal(size=(20_000, 4, 6))
    refused = 1 - may_pool(logs).mean()
    assert 0.23 < refused <= POOLING_LEVEL + 0.01, "Bonferroni over dependent tests: close to the level, from below"


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
