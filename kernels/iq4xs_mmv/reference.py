"""y[m][n] = sum over k of W[n][k] x[m][k], with IQ4_XS weights and Q8_1 activations, in float64."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

# The sixteen values of a nibble, as published with the format (llama.cpp's IQ4_NL codebook).
CODEBOOK = np.array([-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113], np.float32)
LOW, HIGH = np.tile(CODEBOOK, 16), np.repeat(CODEBOOK, 16)  # by the byte that holds two nibbles
BLOCK = 256


def weights_of(blocks: NDArray[np.uint8]) -> NDArray[np.float32]:
    """IQ4_XS bytes [..., k / 256, 136] as float32 [..., k]."""
    flat = np.ascontiguousarray(blocks).reshape(-1, 136)
    d = flat[:, 0:2].copy().view(np.float16).astype(np.float32)
    high = flat[:, 2:4].copy().view(np.uint16).astype(np.int32)
    low = flat[:, 4:8].astype(np.int32)
    sub = np.arange(8)
    scale = (low[:, sub // 2] >> (4 * (sub % 2)) & 15 | (high >> (2 * sub) & 3) << 4) - 32
    quants = flat[:, 8:].reshape(-1, 8, 16)
    values = np.concatenate([LOW[quants], HIGH[quants]], axis=2) * (d * scale.astype(np.float32))[:, :, None]
    return values.reshape(*blocks.shape[:-2], blocks.shape[-2] * BLOCK)


def activations_of(blocks: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Q8_1 bytes [..., k / 32, 36] as float32 [..., k]."""
    d = blocks[..., 0:2].copy().view(np.float16).astype(np.float32)
    return (d * blocks[..., 4:].view(np.int8)).reshape(*blocks.shape[:-2], blocks.shape[-2] * 32)


def reference(sizes: Mapping[str, int], inputs: Mapping[str, NDArray[np.uint8]]) -> dict[str, NDArray[np.float64]]:
    """The product of the values that the blocks stand for; rows in pieces, so that little memory is taken."""
    x = activations_of(inputs["activations"]).astype(np.float64).T
    rows, step = sizes["n"], 1024
    parts = [weights_of(inputs["weights"][row : row + step]).astype(np.float64) @ x for row in range(0, rows, step)]
    return {"y": np.ascontiguousarray(np.concatenate(parts).T)}
