"""Normally spread activations; one block of each row is zeros, which have no largest value to divide by."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray


def make(sizes: Mapping[str, int], rng: np.random.Generator) -> dict[str, NDArray[np.float32]]:
    """x[m][k]."""
    x = rng.standard_normal((sizes["m"], sizes["k"]), np.float32)
    x[:, 32:64] = 0
    return {"x": x}
