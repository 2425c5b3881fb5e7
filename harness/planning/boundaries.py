"""Boundaries of a plan with looks by normal theory: which nominal one-sided levels spend an error as planned.

How an error is spent over the looks is a function of the time alone (Lan and DeMets, Biometrika 70, 1983; the powers
of Kim and DeMets, Biometrika 74, 1987). Crossing probabilities follow the recursion of Armitage, McPherson and Rowe
(JRSS A 132, 1969).
"""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import scipy  # its parts load when they are first used
from numpy.typing import NDArray

Array = NDArray[np.float64]

POINTS = 301  # of the integration; 601 change a level by less than one part in a thousand
REACH = 8.0  # standard deviations of the integration's ends; beyond lies less than 1e-15
SMALLEST_LEVEL = 1e-30  # asked for by nobody


@dataclass(frozen=True)
class Walk:
    """The paths that have left at no look so far: their density, as weighted points, at one moment.

    The walk has the mean `drift` * time and the variance time; a critical value is meant for walk / sqrt(time).
    """

    drift: float = 0.0
    time: float = 0.0
    points: Array = field(default_factory=lambda: np.zeros(1))
    weights: Array = field(default_factory=lambda: np.ones(1))

    def above(self, time: float, critical: float) -> float:
        """Chance of having stayed so far and lying above the critical value at `time`."""
        top, step = critical * math.sqrt(time), math.sqrt(time - self.time)
        return float(self.weights @ scipy.special.ndtr((self._centre(time) - top) / step))

    def below(self, time: float, critical: float) -> float:
        """The same on the other side."""
        bottom, step = critical * math.sqrt(time), math.sqrt(time - self.time)
        return float(self.weights @ scipy.special.ndtr((bottom - self._centre(time)) / step))

    def staying(self, time: float, lower: float, upper: float) -> "Walk":
        """The paths that lie between both critical values at `time`."""
        top, spread = upper * math.sqrt(time), REACH * math.sqrt(time)
        low = max(lower * math.sqrt(time), self.drift * time - spread)
        top = min(top, self.drift * time + spread)
        if low >= top:
            return Walk(self.drift, time, np.zeros(0), np.zeros(0))
        nodes, of_nodes = _simpson(low, top)
        step = math.sqrt(time - self.time)
        density = np.exp(-0.5 * ((nodes[:, np.newaxis] - self._centre(time)) / step) ** 2)
        return Walk(self.drift, time, nodes, (density @ self.weights) * of_nodes / (step * math.sqrt(2 * math.pi)))

    def _centre(self, time: float) -> Array:
        centre: Array = self.points + self.drift * (time - self.time)
        return centre


def nominal_levels(times: Sequence[float], spent: Sequence[float]) -> tuple[float, ...]:
    """The one-sided level at each look so that a true null has crossed with probability `spent[k]` by look k.

    `times` are the information fractions of the looks. Raises ValueError unless both rise, the times to 1 and what is
    spent to less than 1/2.
    """
    if len(times) != len(spent) or not times or not math.isclose(times[-1], 1):
        raise ValueError(f"looks need information fractions that end at 1 and an amount for each, not {list(times)}")
    for rising in ((0.0, *times), (0.0, *spent)):
        if any(later <= earlier for earlier, later in itertools.pairwise(rising)):
            raise ValueError(f"information fractions and what is spent must rise from above 0, not {list(rising[1:])}")
    if spent[-1] >= 0.5:
        raise ValueError(f"the level must lie below 0.5, not {spent[-1]}")
    walk, levels = Walk(), list[float]()
    for time, now, before in zip(times, spent, (0.0, *spent), strict=False):
        levels.append(_level(walk, time, now - before))
        walk = walk.staying(time, -math.inf, -float(scipy.special.ndtri(levels[-1])))
    return tuple(levels)


def _level(walk: Walk, time: float, amount: float) -> float:
    def excess(log_level: float) -> float:
        return walk.above(time, -float(scipy.special.ndtri(math.exp(log_level)))) - amount

    return math.exp(scipy.optimize.brentq(excess, math.log(SMALLEST_LEVEL), math.log(0.5), rtol=1e-9))


def crossing(times: Array, upper: Array, lower: Array | None = None, drift: float = 0.0) -> tuple[Array, Array]:
    """Chance of leaving upwards and downwards first at each look, two arrays of the looks' length.

    `upper` and `lower` are critical values of the standardised statistic, whose mean at time t is drift * sqrt(t).
    Without `lower` nothing leaves downwards.
    """
    lowest = np.full(len(times), -np.inf) if lower is None else lower
    up, down, walk = np.zeros(len(times)), np.zeros(len(times)), Walk(drift)
    for index, time in enumerate(float(one) for one in times):
        up[index] = walk.above(time, float(upper[index]))
        down[index] = walk.below(time, float(lowest[index]))
        walk = walk.staying(time, float(lowest[index]), float(upper[index]))
    return up, down


def _simpson(low: float, high: float) -> tuple[Array, Array]:
    nodes = np.linspace(low, high, POINTS)
    weights = np.full(POINTS, 2.0)
    weights[1::2] = 4.0
    weights[0] = weights[-1] = 1.0
    return nodes, weights * (high - low) / (3 * (POINTS - 1))
