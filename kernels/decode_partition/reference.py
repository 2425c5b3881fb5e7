"""softmax(q K^T / sqrt(256)) V for each of 24 query heads, six of which share a head of the cache; float64."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

QUERY_HEADS, CACHE_HEADS, DIMENSION = 24, 4, 256
PIECE = 8192  # positions looked at together
# Every half there is, by its bits: looking a value up takes a tenth of the time of converting it.
with np.errstate(invalid="ignore"):  # some of them are NaNs that signal
    HALVES = np.arange(1 << 16, dtype=np.uint16).view(np.float16).astype(np.float64)


def widened(values: NDArray[np.float16]) -> NDArray[np.float64]:
    """The same values as float64."""
    return HALVES[np.ascontiguousarray(values).view(np.uint16)]


def reference(sizes: Mapping[str, int], inputs: Mapping[str, NDArray[np.float16]]) -> dict[str, NDArray[np.float64]]:
    """out[batch][24][256]."""
    shared = QUERY_HEADS // CACHE_HEADS
    out = np.empty((sizes["batch"], QUERY_HEADS, DIMENSION))
    for batch in range(sizes["batch"]):
        for head in range(CACHE_HEADS):
            heads = slice(head * shared, (head + 1) * shared)
            q = inputs["q"][batch, heads].astype(np.float64) / np.sqrt(DIMENSION)
            pieces = [slice(at, at + PIECE) for at in range(0, sizes["length"], PIECE)]
            scores = [q @ widened(inputs["keys"][batch, piece, head]).T for piece in pieces]
            most = np.max([one.max(axis=1) for one in scores], axis=0)[:, None]
            weights = [np.exp(one - most) for one in scores]
            total = np.sum([one.sum(axis=1) for one in weights], axis=0)[:, None]
            parts = [
                one @ widened(inputs["values"][batch, piece, head]) for one, piece in zip(weights, pieces, strict=True)
            ]
            out[batch, heads] = np.sum(parts, axis=0) / total
    return {"out": out}
