"""Arms that have left a run with looks: their launches still say how much launches spread, and nothing else.

Without them the last arm of four would be judged with a third of the degrees of freedom that its run has measured.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from harness.verdicts.asked import Stop
from harness.verdicts.cells import Key, Layout
from harness.verdicts.layout import NOTHING, Carried, carried, logs_of
from harness.vocabulary.outcome import Role


@dataclass(frozen=True)
class Departure:
    """A look after which some arms went on without the others."""

    blocks: tuple[int, ...]
    together: tuple[str, ...]  # arms in the fit of that look
    staying: tuple[str, ...]  # those of them that went on


def departures(stops: Mapping[str, Stop], look: int) -> tuple[Departure, ...]:
    """What left at the looks before look number `look` (from 1)."""
    found: list[Departure] = []
    for number in range(1, look):
        group = {arm: stop for arm, stop in stops.items() if stop.look == number and stop.together}
        for stop in list(group.values())[:1]:  # all of one look have the same blocks and companions
            found.append(Departure(stop.blocks, stop.together, tuple(a for a in stop.together if a not in group)))
    return tuple(found)


def left_behind(cells: Layout, key: Key, gone: Sequence[Departure]) -> Carried:
    """What the departures say about the spread of one metric. Raises ValueError for a value that has no logarithm."""
    total = NOTHING
    for one in gone:
        inside = cells.within(one.blocks)
        blocks = inside.complete(key)
        arms = [arm for arm in one.together if has_numbers(inside, arm, key, blocks)]
        if len(blocks) < 2 or not arms:
            continue
        logs = logs_of(values_of(inside, key, arms, blocks))
        total += carried(logs, [0, 1, *(index + 2 for index, arm in enumerate(arms) if arm in one.staying)])
    return total


def has_numbers(cells: Layout, arm: str, key: Key, blocks: Sequence[int]) -> bool:
    """Whether the arm has this number in each of these blocks."""
    with_number = {cell.launch.block for cell in cells.of(Role.ARM, arm) if key in cell.numbers}
    return with_number.issuperset(blocks)


def values_of(cells: Layout, key: Key, arms: Sequence[str], blocks: Sequence[int]) -> NDArray[np.float64]:
    """The numbers as measured, shape (blocks, 2 + arms), baseline and placebo first; each has to be there."""
    columns = [cells.of(Role.BASELINE), cells.of(Role.PLACEBO), *(cells.of(Role.ARM, arm) for arm in arms)]
    values = [[cell.numbers[key] for cell in column if cell.launch.block in blocks] for column in columns]
    return np.array(values, dtype=np.float64).T
