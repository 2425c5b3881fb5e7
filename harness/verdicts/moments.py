"""What a comparison needs of its launches: means and sums of squares inside blocks, however many blocks there are.

Parts of a run add up, so a plan can be simulated look by look without a number for each launch.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Moments:
    """Of logs from which each block's mean was taken; many runs at once have their shape first."""

    blocks: int
    mean: Array  # (..., treatments) over blocks
    scatter: Array  # (..., treatments, treatments) sums over blocks of products of deviations from `mean`

    def __add__(self, other: "Moments") -> "Moments":
        """Of both parts together (Chan, Golub and LeVeque, The American Statistician 37, 1983)."""
        blocks, apart = self.blocks + other.blocks, other.mean - self.mean
        between = np.einsum("...t,...u->...tu", apart, apart) * (self.blocks * other.blocks / blocks)
        return Moments(blocks, self.mean + apart * (other.blocks / blocks), self.scatter + other.scatter + between)

    @property
    def treatments(self) -> int:
        """Columns: baseline, placebo, arms."""
        return int(self.mean.shape[-1])

    @property
    def squares(self) -> Array:
        """Sum of the squared residuals of block + treatment, for each treatment, shape (..., treatments)."""
        diagonal: Array = np.einsum("...tt->...t", self.scatter)
        return diagonal

    def of(self, contrasts: Array) -> Array:
        """Mean over blocks of contrasts (treatments, contrasts), shape (..., contrasts)."""
        mean: Array = self.mean @ contrasts
        return mean

    def variance_of(self, contrasts: Array) -> Array:
        """Their variance between blocks, shape (..., contrasts)."""
        summed = np.einsum("tc,...tc->...c", contrasts, self.scatter @ contrasts)
        variance: Array = np.maximum(summed, 0.0) / (self.blocks - 1)
        return variance


def moments(logs: Array) -> Moments:
    """Of logs of the shape (..., blocks, treatments)."""
    blocks, treatments = logs.shape[-2:]
    inside = logs - np.einsum("...bt->...b", logs)[..., np.newaxis] / treatments
    mean = np.einsum("...bt->...t", inside) / blocks
    inside -= mean[..., np.newaxis, :]
    return Moments(blocks, mean, np.matmul(np.swapaxes(inside, -1, -2), inside))


def drawn(blocks: int, treatments: int, runs: int, generator: np.random.Generator) -> Moments:
    """Moments of so many blocks of launches that all spread with an sd of 1, drawn at once for each run.

    The sums of squares of many normal launches are drawn as such: a Wishart matrix by Bartlett's decomposition.
    """
    if blocks - 1 < 2 * treatments:
        return moments(generator.standard_normal((runs, blocks, treatments)))
    mean = generator.standard_normal((runs, treatments)) / np.sqrt(blocks)
    root = np.tril(generator.standard_normal((runs, treatments, treatments)), -1)
    diagonal = np.arange(treatments)
    root[:, diagonal, diagonal] = np.sqrt(generator.chisquare(blocks - 1 - diagonal, (runs, treatments)))
    root -= root.mean(axis=1, keepdims=True)  # each block's mean is taken
    return Moments(blocks, mean - mean.mean(axis=1, keepdims=True), np.matmul(root, np.swapaxes(root, -1, -2)))
