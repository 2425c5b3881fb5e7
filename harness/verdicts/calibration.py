"""The levels of a plan's looks, found on Student's t itself: the layout that will be judged is simulated beforehand.

The boundary has the shape of Wang and Tsiatis; its height is a quantile of what null arms reach at the plan's own
looks, with the degrees of freedom and the check before pooling as they will be. Giving up (futility) is not counted on:
with a larger spread than planned it hardly ever happens. Seeded, so a plan has the same levels everywhere.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import special

from harness.planning.boundaries import SHAPE
from harness.planning.looks import futility_levels, look_blocks
from harness.verdicts.layout import fit
from harness.verdicts.looks import standard_errors
from ledger.entries import Look

Array = NDArray[np.float64]

# Share of the level that the looks spend. The rest is the margin for the height's own error, 2 to 4 % of the level.
# Giving up takes a fifth more off where launches spread as planned: 0.7 % false FASTER at level 1 %, which 20,000
# simulated runs can show to be at most 1 %.
SPENT_SHARE = 0.92
MOST_RUNS = 100_000  # both sides of each arm count, so a level of 0.0085 rests on 1,700 crossings: 2.4 % of it
MOST_LAUNCHES = 20_000_000  # simulated ones: seconds of one core
CHUNK_LAUNCHES = 500_000
SEED = 20_261_129


def plan_looks(most: int, count: int, level: float, confirmed: int, arms: int | None = None) -> tuple[Look, ...]:
    """Looks with levels for each number of arms that may come to share `level`, and with levels of giving up.

    `confirmed` arms are expected in the confirmation, `arms` (as many, if not given) could come to share the level.
    Raises ValueError where so many looks do not fit into the blocks.
    """
    blocks = look_blocks(most, count)
    reached = heights(blocks, confirmed)
    sharings = range(1, (arms or confirmed) + 1)
    shared = [levels_at(reached, blocks, SPENT_SHARE * level / sharing) for sharing in sharings]
    futility = futility_levels(blocks)
    return tuple(
        Look(blocks=number, levels=tuple(levels[index] for levels in shared), futility=futility[index])
        for index, number in enumerate(blocks)
    )


def heights(blocks: Sequence[int], arms: int) -> Array:
    """How high each simulated null arm gets over the looks, as a multiple of the boundary's shape; sorted.

    `blocks` are those of the looks. The height at a look is the normal quantile of t's probability, so a boundary in
    heights is one in nominal levels.
    """
    launches = blocks[-1] * (arms + 2)
    runs = min(MOST_RUNS, MOST_LAUNCHES // launches)
    chunk = max(1, CHUNK_LAUNCHES // launches)
    generator = np.random.Generator(np.random.PCG64([SEED, arms, *blocks]))
    return np.sort(np.concatenate([_reached(blocks, arms, chunk, generator) for _ in range(-(-runs // chunk))]))


def _reached(blocks: Sequence[int], arms: int, runs: int, generator: np.random.Generator) -> Array:
    logs = generator.standard_normal((runs, blocks[-1], arms + 2))
    highest = np.full((2, runs, arms), -np.inf)
    for shape, number in zip(shapes_of(blocks), blocks, strict=True):
        fitted = fit(logs[:, :number])
        ratio = fitted.estimate / standard_errors(fitted)
        for side, sign in enumerate((-1, 1)):
            normal = -special.ndtri(special.stdtr(fitted.freedom, sign * ratio))
            highest[side] = np.maximum(highest[side], normal / shape)
    return highest.ravel()


def levels_at(reached: Array, blocks: Sequence[int], level: float) -> tuple[float, ...]:
    """The nominal level at each look, so that a share `level` of the simulated arms crosses at one of them."""
    height = reached[len(reached) - 1 - int(level * len(reached))]
    return tuple(float(one) for one in special.ndtr(-height * shapes_of(blocks)))


def shapes_of(blocks: Sequence[int]) -> Array:
    """The boundary's shape over the looks, in units of its value at the last."""
    shapes: Array = (np.asarray(blocks, dtype=np.float64) / blocks[-1]) ** (SHAPE - 0.5)
    return shapes
