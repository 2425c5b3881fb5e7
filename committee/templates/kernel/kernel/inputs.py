"""Seeded inputs; every one of them must change the output."""

import numpy as np


def make(sizes: dict[str, int], rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Arrays by argument name."""
    return {"x": rng.standard_normal(sizes["n"]).astype(np.float16)}
