"""From the logs of one metric to each arm's change, its spread and its degrees of freedom. No levels, no words."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from harness.planning.power import CONTROL_FACTOR, POOLING_LEVEL
from harness.verdicts.moments import Moments, moments
from harness.verdicts.pooling import may_pool

CONTROLS = 2  # baseline in column 0, placebo in column 1
PLACEBO_FACTOR = 2.0  # variance of placebo minus baseline, in units of one launch's


@dataclass(frozen=True)
class Fit:
    """One metric of one run, or of many runs at once: every array has the runs' shape first."""

    estimate: NDArray[np.float64]  # (..., arms) mean log-ratio against the control
    launch_sd: NDArray[np.float64]  # (..., arms) standard deviation between launches, log scale
    freedom: NDArray[np.int64]  # (..., arms) degrees of freedom of launch_sd
    pooled: NDArray[np.bool_]  # (...) whether the spread is pooled
    placebo: NDArray[np.float64]  # (...) mean log-ratio of placebo to baseline
    placebo_sd: NDArray[np.float64]  # (...) standard deviation between launches for the placebo's interval
    placebo_freedom: NDArray[np.int64]  # (...) degrees of freedom of placebo_sd
    blocks: int  # complete blocks


@dataclass(frozen=True)
class Carried:
    """What launches of arms that have left say about the spread, shape (...) as the runs'."""

    squares: NDArray[np.float64]  # sum of squared residuals, log scale
    freedom: NDArray[np.int64]  # their degrees of freedom

    def __add__(self, other: "Carried") -> "Carried":
        return Carried(self.squares + other.squares, self.freedom + other.freedom)


NOTHING = Carried(np.array(0.0), np.array(0))


def logs_of(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Natural logs. Raises ValueError for a value that is not a finite number above 0 (NaN included, lesson M4)."""
    good = np.isfinite(values) & (values > 0)
    if not good.all():
        wrong = values[~good].flat[0]
        raise ValueError(
            f"a measured value is {wrong}, but only finite numbers above 0 can be compared; refuse the trial"
        )
    logs: NDArray[np.float64] = np.log(values)
    return logs


def carried(logs: NDArray[np.float64], staying: Sequence[int]) -> Carried:
    """What the columns of `logs` (as in `fit`) that are not `staying` leave behind at the look at which they leave.

    Their residuals beyond those of the columns that stay belong to contrasts orthogonal to every contrast among these,
    so they are independent of all later estimates and residuals and add to them like chi-square. Nothing is carried
    from a look at which the spread may not be pooled.
    """
    blocks, treatments = logs.shape[-2:]
    squares = moments(logs).squares
    allowed = may_pool(squares, blocks)
    beyond = squares.sum(axis=-1) - moments(logs[..., staying]).squares.sum(axis=-1)
    freedom = (blocks - 1) * (treatments - len(staying))
    return Carried(np.where(allowed, np.maximum(beyond, 0.0), 0.0), np.where(allowed, freedom, 0))


def fit(logs: NDArray[np.float64], pooling_level: float = POOLING_LEVEL, left: Carried = NOTHING) -> Fit:
    """Fit the layout; `logs` has the shape (..., blocks, 2 + arms), baseline and placebo first.

    Raises ValueError for fewer than 2 blocks or a missing control.
    """
    if logs.ndim < 2 or logs.shape[-2] < 2 or logs.shape[-1] < CONTROLS:
        raise ValueError(f"a comparison needs at least 2 blocks with both controls, not an array of {logs.shape}")
    return fit_moments(moments(logs), pooling_level, left)


def fit_moments(seen: Moments, pooling_level: float = POOLING_LEVEL, left: Carried = NOTHING) -> Fit:
    """Fit what is known of at least 2 blocks.

    Pooled: sigma^2 = sum of squared residuals of block + treatment over (n - 1)(arms + 1), those that arms left
    behind (`left`) added to both. Otherwise each arm's own variance of its log-ratios over 1.5, with n - 1.
    """
    blocks, treatments = seen.blocks, seen.treatments
    arms, runs = treatments - CONTROLS, seen.mean.shape[:-1]
    ratios = np.vstack([np.full((CONTROLS, arms), -1 / CONTROLS), np.eye(arms)])
    null = np.array([[-1.0], [1.0], *[[0.0]] * arms])
    pooled = may_pool(seen.squares, blocks, pooling_level)
    freedom = (blocks - 1) * (treatments - 1) + left.freedom
    common = (seen.squares.sum(axis=-1) + left.squares) / freedom
    shared = pooled[..., np.newaxis]
    return Fit(
        estimate=seen.of(ratios),
        launch_sd=np.sqrt(np.where(shared, common[..., np.newaxis], seen.variance_of(ratios) / CONTROL_FACTOR)),
        freedom=np.broadcast_to(np.where(shared, freedom[..., np.newaxis], blocks - 1), (*runs, arms)),
        pooled=pooled,
        placebo=seen.of(null)[..., 0],
        placebo_sd=np.sqrt(np.where(pooled, common, seen.variance_of(null)[..., 0] / PLACEBO_FACTOR)),
        placebo_freedom=np.where(pooled, freedom, blocks - 1),
        blocks=blocks,
    )
