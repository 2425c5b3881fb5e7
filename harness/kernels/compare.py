"""From timed blocks to one verdict for each arm, shape and mode, by the statistics of the server bench. Pure.

What is compared is calls a second (larger is better), a block at a time, against the mean of baseline and placebo.
"""

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from harness.kernels.bench.plan import Plan, Sizes
from harness.kernels.bench.results import Report
from harness.verdicts.measured import Answer, Measured, Question, weigh
from harness.vocabulary.outcome import Reason, Role

LEVEL = 0.01  # one-sided, shared by the arms of a shape, as on the server bench
METRIC = "calls_s"
MODES = ("warm", "cold")


@dataclass(frozen=True)
class Row:
    """One arm at one shape in one mode."""

    shape: str
    mode: str
    arm: str
    family: str
    time_us: float  # median over blocks
    low_us: float  # smallest and largest block
    high_us: float
    bytes_s: float  # the least traffic over the time
    operations_s: float
    answer: Answer | None  # none for the baseline, and where the reason says why
    reason: str = ""


@dataclass(frozen=True)
class _Cell:
    """One shape in one mode, with its numbers by role and arm and block, in ns."""

    shape: Sizes
    mode: str
    blocks: dict[tuple[str, str], dict[int, float]]


def compare(report: Report, plan: Plan) -> tuple[Row, ...]:
    """Rows by shape, mode and time; the baseline among them."""
    rows = []
    for cell in _cells(report, plan):
        found = list(_rows(cell, plan))
        rows += sorted(found, key=lambda row: row.time_us)
    return tuple(rows)


def _cells(report: Report, plan: Plan) -> Iterator[_Cell]:
    for shape in plan.shapes:
        for mode in MODES if shape.time else ():
            blocks: dict[tuple[str, str], dict[int, float]] = {}
            for slot in report.slots:
                for number in slot.numbers:
                    if number.shape == shape.name and number.mode == mode:
                        blocks.setdefault((slot.role, slot.arm), {})[slot.block] = number.median_ns
            if blocks:
                yield _Cell(shape, mode, blocks)


def _rows(cell: _Cell, plan: Plan) -> Iterator[Row]:
    baseline = cell.blocks.get((Role.BASELINE, plan.baseline), {})
    placebo = cell.blocks.get((Role.PLACEBO, plan.baseline), {})
    complete = sorted(set(baseline) & set(placebo))
    arms = [arm for role, arm in cell.blocks if role == Role.ARM]
    whole = [arm for arm in arms if set(cell.blocks[Role.ARM, arm]) >= set(complete)]
    measured = _measured(cell, plan, complete, whole, len(arms))
    if baseline:
        yield _row(cell, plan, plan.baseline, list(baseline.values()), None)
    for arm in arms:
        times = list(cell.blocks[Role.ARM, arm].values())
        if measured is None or arm not in whole:
            yield _row(cell, plan, arm, times, None, Reason.MISSING_BLOCKS)
        elif measured.placebo_differs:
            yield _row(cell, plan, arm, times, None, Reason.PLACEBO_DIFFERS)
        else:
            yield _row(cell, plan, arm, times, measured.answers[arm])


def _measured(cell: _Cell, plan: Plan, complete: Sequence[int], whole: Sequence[str], arms: int) -> Measured | None:
    if len(complete) < 2:
        return None
    columns = [(Role.BASELINE, plan.baseline), (Role.PLACEBO, plan.baseline), *((Role.ARM, arm) for arm in whole)]
    values = [[1e9 / cell.blocks[role, arm][block] for role, arm in columns] for block in complete]
    question = Question((METRIC, 1), plan.smallest_effect_pct, LEVEL, max(1, arms), primary=True)
    return weigh(np.array(values, dtype=np.float64), question, whole)


def _row(cell: _Cell, plan: Plan, arm: str, times: list[float], answer: Answer | None, reason: str = "") -> Row:
    middle = statistics.median(times)
    return Row(
        shape=cell.shape.name,
        mode=cell.mode,
        arm=arm,
        family=plan.arm(arm).family,
        time_us=middle / 1000,
        low_us=min(times) / 1000,
        high_us=max(times) / 1000,
        bytes_s=cell.shape.bytes / (middle * 1e-9),
        operations_s=cell.shape.operations / (middle * 1e-9),
        answer=answer,
        reason=str(reason),
    )
