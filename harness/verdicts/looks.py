"""What one look says: words and bounds at the look's levels, and which arms may pass their share of the level on.

Each arm has its own boundary at an equal share of the level (Bonferroni); an arm that is FASTER leaves its share to
the others, at this look and later ones. That is the graphical procedure of Maurer and Bretz (Statistics in
Biopharmaceutical Research 5, 2013) with equal weights, Holm's inside a group-sequential plan. The bounds are the
repeated confidence intervals of Jennison and Turnbull (JRSS B 51, 1989): they hold whatever ends the run.
"""

from dataclasses import dataclass

import numpy as np
import scipy  # its parts load when they are first used
from numpy.typing import NDArray

from harness.planning.power import CONTROL_FACTOR
from harness.verdicts.layout import Fit
from harness.verdicts.speed import Bounds, speeds
from harness.vocabulary.outcome import Speed
from ledger.entries import Look


@dataclass(frozen=True)
class Rule:
    """What stays the same over all looks of a run."""

    smallest_effect_pct: float
    planned_effect_pct: float | None  # none: no futility
    lower_is_better: bool


@dataclass(frozen=True)
class Decision:
    """One look, for one run or for many at once: shapes (..., arms), and `sharing` (...)."""

    words: NDArray[np.str_]
    bounds: Bounds
    sharing: NDArray[np.int64]  # arms that share the level after this look
    of_arm: NDArray[np.int64]  # arms that shared it when this arm's word was found
    nominal: NDArray[np.float64]  # level of the t quantile of each arm's bounds
    futile: NDArray[np.bool_]  # shown to be below the planned gain, whatever the word


def bounds_at(fitted: Fit, nominal: NDArray[np.float64]) -> Bounds:
    """One-sided bounds with the t quantile at `nominal`, log scale."""
    half = -scipy.special.stdtrit(fitted.freedom, nominal) * standard_errors(fitted)
    return Bounds(fitted.estimate - half, fitted.estimate + half)


def standard_errors(fitted: Fit) -> NDArray[np.float64]:
    """Standard error of each arm's mean log-ratio."""
    error: NDArray[np.float64] = fitted.launch_sd * np.sqrt(CONTROL_FACTOR / fitted.blocks)
    return error


def decide(
    fitted: Fit, look: Look, rule: Rule, sharing: NDArray[np.int64], counted: NDArray[np.bool_] | None = None
) -> Decision:
    """Apply one look. `sharing` is how many arms share the level before it, shape (...).

    `counted` (arms,) is false for planted controls: nothing is claimed of them, so they neither hold nor pass a share.
    """
    shares = np.broadcast_to(sharing[..., np.newaxis], fitted.estimate.shape)
    levels = np.array(look.levels)
    now = sharing
    while True:
        nominal = levels[shares - 1]
        bounds = bounds_at(fitted, nominal)
        words = speeds(fitted.estimate, bounds, rule.smallest_effect_pct, rule.lower_is_better)
        faster = words == Speed.FASTER.value
        passing = faster if counted is None else faster & counted
        left = np.maximum(sharing - passing.sum(axis=-1), 1)
        if np.array_equal(left, now):
            return Decision(words, bounds, left, shares, nominal, _futile(fitted, look, rule))
        now = left
        shares = np.where(faster, shares, left[..., np.newaxis])  # a word that is found keeps its level


def _futile(fitted: Fit, look: Look, rule: Rule) -> NDArray[np.bool_]:
    if look.futility is None or rule.planned_effect_pct is None:
        return np.zeros(fitted.estimate.shape, dtype=np.bool_)
    planned = np.log1p(rule.planned_effect_pct / 100)
    gain = -fitted.estimate if rule.lower_is_better else fitted.estimate
    best = gain - scipy.special.stdtrit(fitted.freedom, look.futility) * standard_errors(fitted)
    futile: NDArray[np.bool_] = best < planned
    return futile
