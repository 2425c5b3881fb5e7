"""Random queries and a cache of keys and values; scores spread by some units, as attention's do."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

QUERY_HEADS, CACHE_HEADS, DIMENSION = 24, 4, 256


def spread(shape: tuple[int, ...], rng: np.random.Generator) -> NDArray[np.float16]:
    """Values of either sign between 1 and 2, straight from random bits: a long cache has a quarter of a billion."""
    bits = rng.integers(0, 1 << 16, shape, np.uint16)
    bits &= 0x83FF  # sign and fraction
    bits |= 0x3C00  # the exponent of 1
    return bits.view(np.float16)


def make(sizes: Mapping[str, int], rng: np.random.Generator) -> dict[str, NDArray[np.float16]]:
    """q[batch][24][256], keys and values[batch][length][4][256]."""
    cache = (sizes["batch"], sizes["length"], CACHE_HEADS, DIMENSION)
    return {
        "q": (2 * rng.standard_normal((sizes["batch"], QUERY_HEADS, DIMENSION), np.float32)).astype(np.float16),
        "keys": spread(cache, rng),
        "values": spread(cache, rng),
    }
