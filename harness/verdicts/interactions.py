"""What the arms of a stack do to each other: each alone, on top of the rest, and the ratio of both (lesson A7). Pure.

On the logarithmic scale effects that do not touch each other add up, so an interaction is what is left over:
`(log y_all - log y_rest) - (log y_alone - log y_0)`, the interaction contrast of a factorial layout (Box, Hunter and
Hunter, Statistics for Experimenters, 2nd ed. 2005, chapter 5, there halved), with `y_0` the geometric mean of baseline
and placebo. It is made inside each block, so what differs between blocks is not in it.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import scipy  # its parts load when they are first used
from numpy.typing import NDArray

from harness.verdicts.cells import Key, Layout
from harness.verdicts.layout import logs_of
from harness.verdicts.measured import percent
from harness.verdicts.moments import moments
from harness.verdicts.pooling import may_pool
from harness.vocabulary.arm import Arm
from harness.vocabulary.outcome import Role

# Variance of one block's contrast in units of one launch's: all, rest and alone once each, the control's mean half.
CONTRAST_FACTOR = 3.5


@dataclass(frozen=True)
class Interaction:
    """One part of one stack, on one metric and load. Percent: +10 means a number larger by a tenth."""

    stack: str  # name of the stacked arm
    part: str  # name of one of its arms
    rest: str  # name of the arm without that part
    key: Key
    alone_pct: float  # the part alone, against the control
    on_top_pct: float  # the whole stack against the stack without the part
    ratio_pct: float  # what the part does on top beyond what it does alone
    low_pct: float
    high_pct: float
    level: float  # one-sided level of each bound
    blocks: int
    freedom: int  # degrees of freedom of the spread between launches

    @property
    def shown(self) -> bool:
        """Whether the interval excludes no interaction."""
        return self.low_pct > 0 or self.high_pct < 0

    @property
    def sentence(self) -> str:
        """For people."""
        word = "they interact" if self.shown else "no interaction is shown"
        return (
            f"{self.part} alone {self.alone_pct:+.1f} %, on top of {self.rest} {self.on_top_pct:+.1f} %: {word}, "
            f"{self.ratio_pct:+.1f} % [{self.low_pct:+.1f}, {self.high_pct:+.1f}]"
        )


def interactions(layout: Layout, key: Key, arms: Mapping[str, Arm], level: float) -> tuple[Interaction, ...]:
    """Every part of every stack whose launches carry this number in at least two blocks; `arms` by fingerprint.

    `level` is one-sided and for all of them together (Bonferroni). Raises ValueError for a number that is not finite
    and above 0.
    """
    asked = [(stack, part, rest) for stack in arms.values() for part, rest in parts_of(stack, arms)]
    found: list[Interaction] = []
    for stack, part, rest in asked:
        logs = _logs(layout, key, (rest, part, stack))
        if logs is None:
            continue
        _, freedom, contrast, half = contrast_of(logs, level / len(asked))
        control = logs[:, :2].mean(axis=1)
        found.append(
            Interaction(
                stack=stack.name,
                part=part.name,
                rest=rest.name,
                key=key,
                alone_pct=percent(float((logs[:, 3] - control).mean())),
                on_top_pct=percent(float((logs[:, 4] - logs[:, 2]).mean())),
                ratio_pct=percent(contrast),
                low_pct=percent(contrast - half),
                high_pct=percent(contrast + half),
                level=level / len(asked),
                blocks=len(logs),
                freedom=freedom,
            )
        )
    return tuple(found)


def parts_of(stack: Arm, arms: Mapping[str, Arm]) -> list[tuple[Arm, Arm]]:
    """(part, the stack without it) for each part for which both were measured."""
    single = {arm.name: arm for arm in arms.values() if not arm.stack}
    sets = {frozenset(arm.stack): arm for arm in arms.values() if arm.stack}
    pairs: list[tuple[Arm, Arm]] = []
    for name in stack.stack:
        others = frozenset(stack.stack) - {name}
        rest = sets.get(others) or (single.get(next(iter(others))) if len(others) == 1 else None)
        if name in single and rest is not None:
            pairs.append((single[name], rest))
    return pairs


def contrast_of(logs: NDArray[np.float64], level: float) -> tuple[bool, int, float, float]:
    """Whether the spread is pooled, its degrees of freedom, the contrast's mean and half the width of its interval.

    `logs` has the shape (blocks, 5): baseline, placebo, rest, alone, all. Pooled over the five where their launches
    spread alike, else the contrast's own variance between blocks.
    """
    blocks = len(logs)
    each = (logs[:, 4] - logs[:, 2]) - (logs[:, 3] - logs[:, :2].mean(axis=1))
    squares = moments(logs).squares
    pooled = bool(may_pool(squares, blocks))
    if pooled:
        freedom = (blocks - 1) * (logs.shape[1] - 1)
        variance = CONTRAST_FACTOR * float(squares.sum()) / freedom
    else:
        freedom, variance = blocks - 1, float(each.var(ddof=1))
    half = -float(scipy.special.stdtrit(freedom, level)) * math.sqrt(variance / blocks)
    return pooled, freedom, float(each.mean()), half


def _logs(layout: Layout, key: Key, arms: Sequence[Arm]) -> NDArray[np.float64] | None:
    """Logs of baseline, placebo and the arms over the blocks where all have the number; none for fewer than two."""
    cells = [layout.of(Role.BASELINE), layout.of(Role.PLACEBO), *(layout.of(Role.ARM, arm.fingerprint) for arm in arms)]
    numbers = [{cell.launch.block: cell.numbers[key] for cell in column if key in cell.numbers} for column in cells]
    blocks = sorted(set.intersection(*(set(column) for column in numbers)))
    if len(blocks) < 2:
        return None
    return logs_of(np.array([[column[block] for column in numbers] for block in blocks], dtype=np.float64))
