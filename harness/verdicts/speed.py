"""From a fit to bounds and words. The four words exclude each other by construction, and none is ever forced."""

from dataclasses import dataclass

import numpy as np
import scipy  # its parts load when they are first used
from numpy.typing import NDArray

from harness.planning.power import CONTROL_FACTOR
from harness.verdicts.layout import PLACEBO_FACTOR, Fit
from harness.vocabulary.outcome import Speed

# Two-sided. At 0.05 one good night in twenty would be thrown away for nothing; at 0.01 one in a hundred, and a drift
# large enough to matter still shows.
PLACEBO_LEVEL = 0.01
PLACEBO_INTERVAL = f"the two-sided {100 * (1 - PLACEBO_LEVEL):g} % interval of their mean ratio"


@dataclass(frozen=True)
class Bounds:
    """Log scale, each shape as in the fit."""

    low: NDArray[np.float64]
    high: NDArray[np.float64]


def arm_bounds(fitted: Fit, level: float, planned_arms: int) -> Bounds:
    """One-sided bounds at level / planned_arms each (Bonferroni over every arm of the plan, with number or not)."""
    half = -scipy.special.stdtrit(fitted.freedom, level / planned_arms)
    half = half * fitted.launch_sd * np.sqrt(CONTROL_FACTOR / fitted.blocks)
    return Bounds(fitted.estimate - half, fitted.estimate + half)


def placebo_bounds(fitted: Fit) -> Bounds:
    """Two-sided interval of placebo against baseline at PLACEBO_LEVEL."""
    half = -scipy.special.stdtrit(fitted.placebo_freedom, PLACEBO_LEVEL / 2)
    half = half * fitted.placebo_sd * np.sqrt(PLACEBO_FACTOR / fitted.blocks)
    return Bounds(fitted.placebo - half, fitted.placebo + half)


def placebo_differs(bounds: Bounds) -> NDArray[np.bool_]:
    """Whether the interval excludes 0, which voids the run."""
    return (bounds.low > 0) | (bounds.high < 0)


def speeds(
    estimate: NDArray[np.float64], bounds: Bounds, smallest_effect_pct: float, lower_is_better: bool
) -> NDArray[np.str_]:
    """The word for each arm.

    FASTER: the bound on the bad side is better than 0 and the estimate is at least the smallest effect. SLOWER: the
    mirror image. SAME: both bounds inside plus or minus the smallest effect. AMBIGUOUS: everything else. FASTER and
    SAME exclude each other because an estimate lies between its bounds.
    """
    effect = np.log1p(smallest_effect_pct / 100)
    up = (bounds.low > 0) & (estimate >= effect)
    down = (bounds.high < 0) & (estimate <= -effect)
    same = (bounds.low > -effect) & (bounds.high < effect)
    better, worse = (down, up) if lower_is_better else (up, down)
    words = [Speed.FASTER.value, Speed.SLOWER.value, Speed.SAME.value]
    return np.select([better, worse, same], words, default=Speed.AMBIGUOUS.value)
