"""The looks of a plan, fixed before the first launch: after how many blocks, when an arm is given up, what is spent.

The levels at which something is decided are found in `harness/verdicts/calibration.py`, on the statistic itself.
"""

import math
from collections.abc import Sequence

from harness.planning.boundaries import nominal_levels
from harness.planning.power import blocks_needed
from ledger.entries import Look

# Chance that the futility looks alone would give up an arm with just the planned gain, by normal theory. A part of the
# 0.1 that power 0.9 leaves; most of those arms would have ended AMBIGUOUS anyway.
FUTILITY_LOSS = 0.05
# How the error is spent over the looks: a power of the share of blocks beyond the first two (Kim and DeMets). 1.3 is
# nearly a straight line: few launches on average, and a maximum that 1.3 of the fixed design's covers. In a plan of at
# most FEW_BLOCKS each look is a large step and a later one saves nothing, so more is spent early. Found by simulation
# for the fewest launches at the planned gain (docs/decisions/0006).
RISE, RISE_FEW, FEW_BLOCKS = 1.3, 0.5, 6
FUTILITY_RISE, FUTILITY_RISE_FEW = 1.0, 0.5  # the same for giving up
# Share of the level that is spent where only 2 blocks are there: Student's quantile with so few degrees of freedom is
# so large that level spent there buys next to no power. Above 0, so that a bound exists.
SHARE_AT_TWO = 0.03
# Most blocks of a plan with looks, in units of the fixed design's: buys back the power that looks and futility cost.
INFLATION = 1.28
MOST_INFLATION = 1.3  # where rounding up a small plan would go beyond


def look_blocks(most: int, count: int) -> tuple[int, ...]:
    """After how many blocks the looks are: evenly spread, the first not before 2 blocks, the last at `most`.

    Raises ValueError where so many looks do not fit.
    """
    if not 1 <= count < most:
        raise ValueError(f"{count} looks do not fit into {most} blocks; the first needs 2 blocks")
    return tuple(max(math.ceil(most * number / count), number + 1) for number in range(1, count + 1))


def futility_levels(blocks: Sequence[int]) -> tuple[float, ...]:
    """Nominal one-sided level at each look of giving up an arm below the planned gain, by normal theory.

    Giving up wrongly costs power and never makes anything FASTER, so nothing is held back here.
    """
    most = blocks[-1]
    rise = FUTILITY_RISE_FEW if most <= FEW_BLOCKS else FUTILITY_RISE
    spent = [FUTILITY_LOSS * ((number - 1) / (most - 1)) ** rise for number in blocks]
    return nominal_levels([number / most for number in blocks], spent)


def spent_by(blocks: int, most: int, level: float) -> float:
    """How much of `level` may be spent by the look after `blocks` of `most` blocks; all of it at the last."""
    if blocks == most:
        return level
    rise = RISE_FEW if most <= FEW_BLOCKS else RISE
    share = SHARE_AT_TWO + (1 - SHARE_AT_TWO) * math.pow((blocks - 2) / (most - 2), rise)
    return level * share


def last_look_only(blocks: int, level: float, arms: int) -> tuple[Look, ...]:
    """A fixed number of blocks as one look: nothing is spent beforehand, so nothing is held back."""
    return (Look(blocks=blocks, levels=tuple(level / sharing for sharing in range(1, arms + 1))),)


def most_blocks_needed(effect_pct: float, launch_sd_pct: float, arms: int, level: float) -> int | None:
    """Most blocks of a plan with looks that sees `effect_pct` with power 0.9; none if no useful number is enough."""
    fixed = blocks_needed(effect_pct, launch_sd_pct, arms, level)
    return None if fixed is None else max(3, min(round(INFLATION * fixed), math.floor(MOST_INFLATION * fixed)))
