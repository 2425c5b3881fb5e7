"""Boundaries of a plan with interim looks by normal theory, as nominal one-sided levels and chances of crossing.

The family is Wang and Tsiatis (Biometrics 43, 1987): the critical value at information fraction t is
C * t^(shape - 1/2). Crossing probabilities follow the recursion of Armitage, McPherson and Rowe (JRSS A 132, 1969).
"""

import itertools
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special

Array = NDArray[np.float64]

SHAPE = 0.25  # between Pocock (1/2) and O'Brien-Fleming (0): few launches on average and a maximum that stays near 1.2
POINTS = 301  # of the integration; 601 change a level by less than one part in a thousand
REACH = 8.0  # standard deviations of the integration's ends; beyond lies less than 1e-15
LARGEST_CRITICAL = 12.0  # a one-sided normal level of 1e-33: more is asked for by nobody


def nominal_levels(fractions: Sequence[float], level: float, shape: float = SHAPE) -> tuple[float, ...]:
    """The one-sided level at each look so that a true null crosses at any of them with probability `level`.

    `fractions` are the information fractions of the looks, rising, the last one 1. Raises ValueError otherwise.
    """
    if not fractions or not math.isclose(fractions[-1], 1) or fractions[0] <= 0:
        raise ValueError(f"looks need information fractions that end at 1, not {list(fractions)}")
    if any(later <= earlier for earlier, later in itertools.pairwise(fractions)):
        raise ValueError(f"looks need information fractions that rise, not {list(fractions)}")
    if not 0 < level < 0.5:
        raise ValueError(f"the level must lie between 0 and 0.5, not {level}")
    times = np.asarray(fractions, dtype=np.float64)
    shapes = times ** (shape - 0.5)

    def excess(scale: float) -> float:
        return float(crossing(times, scale * shapes)[0].sum()) - level

    scale = optimize.brentq(excess, float(-special.ndtri(level)) / float(shapes.max()), LARGEST_CRITICAL, rtol=1e-7)
    return tuple(float(one) for one in special.ndtr(-scale * shapes))


def crossing(times: Array, upper: Array, lower: Array | None = None, drift: float = 0.0) -> tuple[Array, Array]:
    """Chance of leaving upwards and downwards first at each look, two arrays of the looks' length.

    `upper` and `lower` are critical values of the standardised statistic, whose mean at time t is drift * sqrt(t).
    Without `lower` nothing leaves downwards.
    """
    up, down = np.zeros(len(times)), np.zeros(len(times))
    points: Array = np.zeros(1)
    weights: Array = np.ones(1)
    before = 0.0
    for index, time in enumerate(times):
        step = math.sqrt(time - before)
        centre = points + drift * (time - before)
        top = upper[index] * math.sqrt(time)
        bottom = -math.inf if lower is None else lower[index] * math.sqrt(time)
        up[index] = float(weights @ special.ndtr((centre - top) / step))
        down[index] = 0.0 if lower is None else float(weights @ special.ndtr((bottom - centre) / step))
        low = max(bottom, drift * time - REACH * math.sqrt(time))
        if low >= top:
            break
        nodes, of_nodes = _simpson(low, top)
        density = np.exp(-0.5 * ((nodes[:, np.newaxis] - centre) / step) ** 2) / (step * math.sqrt(2 * math.pi))
        points, weights, before = nodes, (density @ weights) * of_nodes, float(time)
    return up, down


def _simpson(low: float, high: float) -> tuple[Array, Array]:
    nodes = np.linspace(low, high, POINTS)
    weights = np.full(POINTS, 2.0)
    weights[1::2] = 4.0
    weights[0] = weights[-1] = 1.0
    return nodes, weights * (high - low) / (3 * (POINTS - 1))
