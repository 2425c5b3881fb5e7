"""The levels of a plan's looks, found on Student's t itself: the layout that will be judged is simulated beforehand.

What may be spent by each look is fixed by the number of its blocks; the level at a look is the one at which
null arms have crossed just so often, with the degrees of freedom and the check before pooling as they will be.
Giving up (futility) is not counted on: with a larger spread than planned it hardly ever happens. Seeded, so a plan has
the same levels everywhere.
"""

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import scipy  # its parts load when they are first used
from numpy.typing import NDArray

from harness.planning.boundaries import Walk
from harness.planning.looks import FEW_BLOCKS, futility_levels, look_blocks, spent_by
from harness.planning.power import CONTROL_FACTOR
from harness.verdicts.layout import fit_moments
from harness.verdicts.looks import standard_errors
from harness.verdicts.moments import drawn
from ledger.entries import Look

Array = NDArray[np.float64]

# Share of the level that the looks spend. The rest is the margin for the simulation's own error, 2 % of the level, and
# lets 20,000 simulated runs show "at most 1 %" with 95 % confidence, for which a rate has to be below 0.88 %. In a plan
# of few blocks the demand on the estimate takes two thirds of the wrong words off, so less is held back.
SPENT_SHARE, SPENT_SHARE_FEW = 0.86, 0.92
RUNS = 200_000  # both sides of each arm count, so a level of 0.0086 rests on 3,400 crossings: 1.7 % of it
CHUNK_RUNS = 10_000  # of them at a time: some megabytes
SEED = 20_261_129
HALVINGS = 40  # of the interval that holds the logarithm of a level: 1e-11 of it
SMALLEST_LEVEL = 1e-9  # of a bound; no simulation of this size can tell it from none


@dataclass(frozen=True)
class Nulls:
    """Null arms at the plan's looks, both sides of each: nominal levels at which they would cross, (looks, samples)."""

    student: NDArray[np.float32]  # with the spread as estimated, from the layout that judges
    normal: NDArray[np.float32]  # of the same launches with their true spread; its crossings are known exactly


def plan_looks(most: int, count: int, level: float, confirmed: int, arms: int | None = None) -> tuple[Look, ...]:
    """Looks with levels for each number of arms that may come to share `level`, and with levels of giving up.

    `confirmed` arms are expected in the confirmation, `arms` (as many, if not given) could come to share the level.
    Raises ValueError where so many looks do not fit into the blocks.
    """
    blocks = look_blocks(most, count)
    spent = level * (SPENT_SHARE_FEW if most <= FEW_BLOCKS else SPENT_SHARE)
    nulls = null_arms(blocks, confirmed, spent)
    sharings = range(1, (arms or confirmed) + 1)
    shared = [levels_at(nulls, blocks, spent / sharing) for sharing in sharings]
    for larger, smaller in itertools.pairwise(range(len(shared))):  # a smaller share's boundary lies outside (0006)
        shared[smaller] = tuple(map(min, shared[smaller], shared[larger]))
    futility = futility_levels(blocks)
    return tuple(
        Look(blocks=number, levels=tuple(levels[index] for levels in shared), futility=futility[index])
        for index, number in enumerate(blocks)
    )


def null_arms(blocks: Sequence[int], arms: int, level: float) -> Nulls:
    """Simulated null arms at looks after `blocks`; what lies above `level` is 1, since no bound uses it."""
    generator = np.random.Generator(np.random.PCG64([SEED, arms, *blocks]))
    parts = [_simulated(blocks, arms, CHUNK_RUNS, level, generator) for _ in range(-(-RUNS // CHUNK_RUNS))]
    return Nulls(*(np.concatenate([getattr(part, name) for part in parts], axis=1) for name in ("student", "normal")))


def _simulated(blocks: Sequence[int], arms: int, runs: int, level: float, generator: np.random.Generator) -> Nulls:
    student, normal = (np.ones((len(blocks), 2, runs, arms), dtype=np.float32) for _ in range(2))
    least = -float(scipy.special.ndtri(level))  # below it no Student's tail is as small as the level
    seen = drawn(blocks[0], arms + 2, runs, generator)
    for index, number in enumerate(blocks):
        if number > seen.blocks:
            seen += drawn(number - seen.blocks, arms + 2, runs, generator)
        fitted = fit_moments(seen)
        known = fitted.estimate / math.sqrt(CONTROL_FACTOR / number)
        estimated = fitted.estimate / standard_errors(fitted)
        for side, sign in enumerate((1, -1)):
            far = sign * estimated > least
            student[index, side][far] = scipy.special.stdtr(fitted.freedom[far], -sign * estimated[far])
            far = sign * known > least
            normal[index, side][far] = scipy.special.ndtr(-sign * known[far])
    return Nulls(*(one.reshape(len(blocks), -1) for one in (student, normal)))


def levels_at(nulls: Nulls, blocks: Sequence[int], level: float) -> tuple[float, ...]:
    """The nominal level at each look, so that `level` of null arms have crossed by the last, spent as planned."""
    return tuple(_levels(nulls, blocks, level))


def _levels(nulls: Nulls, blocks: Sequence[int], level: float) -> Iterator[float]:
    """The normal statistic is the control variate: its exact chance, and the difference that was simulated."""
    samples, walk, before = nulls.student.shape[1], Walk(), 0.0
    staying = [np.ones(samples, dtype=np.bool_) for _ in range(2)]
    for index, number in enumerate(blocks):
        both = (nulls.student[index], nulls.normal[index])
        ours, theirs = (np.sort(one[stays & (one < 1)]) for one, stays in zip(both, staying, strict=True))
        spent, time = spent_by(number, blocks[-1], level), number / blocks[-1]
        low, high = math.log(SMALLEST_LEVEL), math.log(level)
        for _ in range(HALVINGS):
            tried = math.exp((low + high) / 2)
            more = int(np.searchsorted(ours, np.float32(tried))) - int(np.searchsorted(theirs, np.float32(tried)))
            crossed = walk.above(time, -float(scipy.special.ndtri(tried))) + more / samples
            low, high = (low, math.log(tried)) if crossed > spent - before else (math.log(tried), high)
        found, before = math.exp(low), spent
        staying = [stays & (one > np.float32(found)) for one, stays in zip(both, staying, strict=True)]
        walk = walk.staying(time, -math.inf, -float(scipy.special.ndtri(found)))
        yield found
