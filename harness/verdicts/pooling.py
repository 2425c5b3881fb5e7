"""May the spread be pooled? An exact test that no arm's launches spread more than those of the rest."""

import numpy as np
import scipy  # its parts load when they are first used
from numpy.typing import NDArray

from harness.planning.power import POOLING_LEVEL, SAFE_ARMS


def may_pool(squares: NDArray[np.float64], blocks: int, level: float = POOLING_LEVEL) -> NDArray[np.bool_]:
    """Whether no arm's launches spread more than the others', shape (...).

    `squares` (..., treatments) are sums of squared residuals of block + treatment, controls first. For each of T
    treatments the mean square of its contrast to the mean of the others is independent of the residual mean square of
    the others, so with equal spread and normal logs their ratio is exactly F with n - 1 and (n - 1)(T - 2) degrees of
    freedom. Each arm's ratio is tested on its upper side at level / T.
    Baseline and placebo are one configuration, and up to SAFE_ARMS arms their spread cannot make an arm's bound too
    narrow; beyond, they are tested like arms. With two treatments (only controls) there is nothing to compare.
    """
    treatments = squares.shape[-1]
    if treatments < 3:
        return np.ones(squares.shape[:-1], dtype=np.bool_)
    own = squares * treatments / (treatments - 1)
    rest = np.maximum(squares.sum(axis=-1, keepdims=True) - own, 0.0)
    freedom = (blocks - 1, (blocks - 1) * (treatments - 2))
    critical = scipy.special.fdtri(*freedom, 1 - level / treatments)
    tested = slice(2 if treatments - 2 <= SAFE_ARMS else 0, None)
    alike: NDArray[np.bool_] = (own * freedom[1] <= critical * rest * freedom[0])[..., tested].all(axis=-1)
    return alike
