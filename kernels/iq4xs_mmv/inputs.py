"""Random IQ4_XS weights and Q8_1 activations of normally spread values."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

BLOCK_BYTES, Q8_BYTES = 136, 36


def quantised(x: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Values [m, k] as Q8_1 blocks [m, k / 32, 36]: half d = max/127, half s = d * sum, 32 int8."""
    pieces = x.reshape(x.shape[0], -1, 32)
    d = np.abs(pieces).max(axis=2) / np.float32(127)
    inverse = np.divide(1, d, out=np.zeros_like(d), where=d > 0)
    scaled = (pieces * inverse[:, :, None]).astype(np.float64)  # the product is rounded as float32, the half is not
    q = np.trunc(scaled + np.copysign(0.5, scaled)).astype(np.int8)
    blocks = np.empty((*pieces.shape[:2], Q8_BYTES), np.uint8)
    blocks[..., 0:2] = d.astype(np.float16)[..., None].view(np.uint8)
    sums = q.sum(axis=2, dtype=np.int32).astype(np.float32)
    blocks[..., 2:4] = (d * sums).astype(np.float16)[..., None].view(np.uint8)
    blocks[..., 4:] = q.view(np.uint8)
    return blocks


def weights(rows: int, k: int, rng: np.random.Generator) -> NDArray[np.uint8]:
    """Every bit random but the scale d, which is a small number of either sign (random bits could be NaN)."""
    blocks = rng.integers(0, 256, (rows, k // 256, BLOCK_BYTES), np.uint8)
    d = (rng.uniform(0.2, 1.0, blocks.shape[:2]) * rng.choice([-1, 1], blocks.shape[:2]) / 2048).astype(np.float16)
    blocks[..., 0:2] = d[..., None].view(np.uint8)
    return blocks


def make(sizes: Mapping[str, int], rng: np.random.Generator) -> dict[str, NDArray[np.uint8]]:
    """Arrays of the task's inputs."""
    x = rng.standard_normal((sizes["m"], sizes["k"]), np.float32)
    return {"weights": weights(sizes["n"], sizes["k"], rng), "activations": quantised(x)}
