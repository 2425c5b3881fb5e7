"""Who goes on from a screen: the best as measured, whatever the place in the pass."""

import numpy as np
import pytest

from harness.verdicts.screen import screen_estimates, survivors


def test_a_drift_along_the_pass_is_no_advantage() -> None:
    positions = np.array([[0, 4, 1, 2, 3]])
    drift = -0.05 * positions.astype(np.float64)  # each launch 5 % slower than the one before
    assert screen_estimates(drift, positions) == pytest.approx(np.zeros(3), abs=1e-12)
    gains = drift + np.array([[0, 0, 0, 0.02, 0.01]])
    assert screen_estimates(gains, positions) == pytest.approx(np.array([0, 0.02, 0.01]))


def test_passes_are_averaged() -> None:
    positions = np.array([[0, 3, 1, 2], [3, 0, 2, 1]])
    logs = np.array([[0, 0, 0.04, 0.0], [0, 0, 0.0, 0.02]])
    assert screen_estimates(logs, positions) == pytest.approx(np.array([0.02, 0.01]))


@pytest.mark.parametrize(
    ("estimates", "keep", "lower", "kept"),
    [
        ([0.01, 0.03, 0.02], 2, False, (1, 2)),
        ([0.01, 0.03, 0.02], 1, True, (0,)),
        ([0.01, 0.01, 0.01], 2, False, (0, 1)),
        ([0.01], 3, False, (0,)),
    ],
)
def test_the_best_are_kept(estimates: list[float], keep: int, lower: bool, kept: tuple[int, ...]) -> None:
    assert survivors(estimates, keep, lower) == kept
