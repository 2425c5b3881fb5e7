"""May the spread be pooled? An exact test that no arm's launches spread more than those of the rest."""

import numpy as np
from numpy.typing import NDArray
from scipy import special

from harness.planning.power import POOLING_LEVEL, SAFE_ARMS


def residuals(logs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Residuals of the additive layout block + treatment; `logs` has the shape (..., blocks, treatments)."""
    blocks, treatments = logs.shape[-2:]
    of_block = np.einsum("...bt->...b", logs)[..., np.newaxis] / treatments
    inside: NDArray[np.float64] = logs - of_block
    of_treatment = np.einsum("...bt->...t", inside)[..., np.newaxis, :] / blocks
    inside -= of_treatment
    return inside


def squares(logs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum of the squared residuals of each treatment, shape (..., treatments)."""
    left = residuals(logs)
    summed: NDArray[np.float64] = np.einsum(
        "...bt,...bt->...t", left, left
    )  # several times as fast as the sum of left**2
    return summed


def may_pool(logs: NDArray[np.float64], level: float = POOLING_LEVEL) -> NDArray[np.bool_]:
    """Whether no arm's launches spread more than the others', shape (...). `logs` as in `layout.fit`, controls first.

    For each of T treatments the mean square of its contrast to the mean of the others is independent of the
    residual mean square of the others, so with equal spread and normal logs their ratio is exactly F with n - 1 and
    (n - 1)(T - 2) degrees of freedom. Each arm's ratio is tested on its upper side at level / T.
    Baseline and placebo are one configuration, and up to SAFE_ARMS arms their spread cannot make an arm's bound too
    narrow; beyond, they are tested like arms. With two treatments (only controls) there is nothing to compare.
    """
    blocks, treatments = logs.shape[-2:]
    if treatments < 3:
        return np.ones(logs.shape[:-2], dtype=np.bool_)
    summed = squares(logs)
    own = summed * treatments / (treatments - 1)
    rest = np.maximum(summed.sum(axis=-1, keepdims=True) - own, 0.0)
    freedom = (blocks - 1, (blocks - 1) * (treatments - 2))
    critical = special.fdtri(*freedom, 1 - level / treatments)
    tested = slice(2 if treatments - 2 <= SAFE_ARMS else 0, None)
    alike: NDArray[np.bool_] = (own * freedom[1] <= critical * rest * freedom[0])[..., tested].all(axis=-1)
    return alike
