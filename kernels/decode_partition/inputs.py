"""Random queries and a cache of keys and values; scores spread by some units, as attention's do."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

QUERY_HEADS, CACHE_HEADS, DIMENSION = 24, 4, 256


def make(sizes: Mapping[str, int], rng: np.random.Generator) -> dict[str, NDArray[np.float16]]:
    """q[batch][24][256], keys and values[batch][length][4][256]."""
    cache = (sizes["batch"], sizes["length"], CACHE_HEADS, DIMENSION)
    return {
        "q": (2 * rng.standard_normal((sizes["batch"], QUERY_HEADS, DIMENSION), np.float32)).astype(np.float16),
        "keys": rng.standard_normal(cache, np.float32).astype(np.float16),
        "values": rng.standard_normal(cache, np.float32).astype(np.float16),
    }
