"""Who goes on from the screen to the confirmation: by what was measured there, and by nothing else.

The screen's numbers choose and are then left out: the confirmation rests on launches of its own, so choosing the best
of many cannot make any of them look better than it is.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from harness.verdicts.asked import Asked
from harness.verdicts.layout import logs_of
from harness.vocabulary.outcome import Role

Array = NDArray[np.float64]


def screen_estimates(logs: Array, positions: NDArray[np.int64]) -> Array:
    """Mean log-ratio of each arm over the passes, shape (..., arms).

    `logs` has the shape (..., passes, 2 + arms), baseline and placebo first, `positions` (passes, 2 + arms). The
    control at an arm's position lies on the line through baseline and placebo: a pass launches the promising first, and
    so a drift that is linear over the pass is no advantage for any arm.
    """
    first, last = positions[:, 0:1], positions[:, 1:2]
    weight = (positions[:, 2:] - first) / (last - first)
    control = logs[..., 0:1] * (1 - weight) + logs[..., 1:2] * weight
    estimates: Array = (logs[..., 2:] - control).mean(axis=-2)
    return estimates


def survivors(estimates: Sequence[float], keep: int, lower_is_better: bool) -> tuple[int, ...]:
    """Indices of the best `keep` arms in their order; of equals the earlier one."""
    gain = -np.asarray(estimates) if lower_is_better else np.asarray(estimates)
    best = np.argsort(-gain, kind="stable")[:keep]
    return tuple(sorted(int(index) for index in best))


def choose(asked: Asked, open_arms: Sequence[str]) -> tuple[tuple[str, ...], str]:
    """The arms that are not confirmed, and a sentence. Planted controls go on, and so do all arms if a number lacks."""
    screen = asked.criteria.screen
    candidates = [arm for arm in open_arms if asked.kind(arm) is None]
    cells = asked.cells.within(range(asked.run.screen_blocks))
    columns = [cells.of(Role.BASELINE), cells.of(Role.PLACEBO), *(cells.of(Role.ARM, arm) for arm in candidates)]
    lacking = any(asked.key not in cell.numbers for column in columns for cell in column)
    if screen is None or lacking or not candidates:
        return (), "screen: nothing can be compared, so every arm that ran goes on"
    values = np.array([[cell.numbers[asked.key] for cell in column] for column in columns], dtype=np.float64).T
    positions = np.array([[cell.launch.position for cell in column] for column in columns]).T
    estimates = screen_estimates(logs_of(values), positions)
    kept = survivors([float(one) for one in estimates], screen.keep, asked.rule.lower_is_better)
    names = ", ".join(asked.arms[candidates[index]].name for index in kept)
    out = tuple(arm for index, arm in enumerate(candidates) if index not in kept)
    return out, f"screen: {len(kept)} of {len(candidates)} arms go on to the confirmation: {names}"
