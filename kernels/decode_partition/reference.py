"""softmax(q K^T / sqrt(256)) V for each of 24 query heads, six of which share a head of the cache; float64."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

QUERY_HEADS, CACHE_HEADS, DIMENSION = 24, 4, 256


def reference(sizes: Mapping[str, int], inputs: Mapping[str, NDArray[np.float16]]) -> dict[str, NDArray[np.float64]]:
    """out[batch][24][256]."""
    shared = QUERY_HEADS // CACHE_HEADS
    out = np.empty((sizes["batch"], QUERY_HEADS, DIMENSION))
    for batch in range(sizes["batch"]):
        for head in range(CACHE_HEADS):
            heads = slice(head * shared, (head + 1) * shared)
            keys = inputs["keys"][batch, :, head].astype(np.float64)
            scores = inputs["q"][batch, heads].astype(np.float64) @ keys.T / np.sqrt(DIMENSION)
            weights = np.exp(scores - scores.max(axis=1, keepdims=True))
            weights /= weights.sum(axis=1, keepdims=True)
            out[batch, heads] = weights @ inputs["values"][batch, :, head].astype(np.float64)
    return {"out": out}
