"""Seeded inputs: every element matters, none is 0."""

import numpy as np


def make(sizes: dict[str, int], rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Arrays by argument name."""
    rows, n = sizes["rows"], sizes["n"]
    return {
        "a": rng.uniform(0.5, 2.0, rows).astype(np.float32),
        "x": rng.standard_normal((rows, n)).astype(np.float32),
        "y": rng.standard_normal((rows, n)).astype(np.float32),
    }
