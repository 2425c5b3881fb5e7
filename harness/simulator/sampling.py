"""Metrics of many starts at once, in virtual time: what a plan of blocks would measure, without any process. Pure.

For statistics: the true effects are given, so that false verdicts can be counted.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Starts:
    """How starts of one server spread. All figures are of the logarithm of a rate, in percent."""

    sd_pct: float  # between starts of one configuration
    drift_pct: float = 0.0  # each start is so much slower than the one before it
    walk_sd_pct: float = 0.0  # step of a random walk from start to start
    block_sd_pct: float = 0.0  # of what all starts of one block share

    def log_metrics(self, effects_pct: Array, blocks: int, rng: np.random.Generator) -> Array:
        """Log rates, shape (blocks, roles), of runs in which role r is `effects_pct[r]` percent faster.

        Inside a block the roles run in an order shuffled anew, one start after the other, so that drift falls on all.
        """
        roles = len(effects_pct)
        order = np.argsort(rng.random((blocks, roles)), axis=1)
        at = np.arange(blocks)[:, None] * roles + np.argsort(order, axis=1)
        total = blocks * roles
        course = np.cumsum(rng.normal(0.0, self.walk_sd_pct / 100, total)) - self.drift_pct / 100 * np.arange(total)
        shared = rng.normal(0.0, self.block_sd_pct / 100, (blocks, 1))
        noise = rng.normal(0.0, self.sd_pct / 100, (blocks, roles))
        rates: Array = np.log1p(np.asarray(effects_pct, dtype=float) / 100) + shared + noise + course[at]
        return rates
