"""One metric at one load over the whole run: the numbers in their blocks, and what they say about each arm."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from harness.planning.power import LARGEST_LOG, Design, visible_effect_pct
from harness.verdicts.cells import Key, Layout
from harness.verdicts.departures import Departure, has_numbers, left_behind, values_of
from harness.verdicts.layout import NOTHING, Carried, Fit, fit, logs_of
from harness.verdicts.looks import bounds_at
from harness.verdicts.settle import more_blocks
from harness.verdicts.speed import placebo_bounds, placebo_differs, speeds
from harness.vocabulary.metrics import lower_is_better
from harness.vocabulary.outcome import Speed
from ledger.entries import Interval


@dataclass(frozen=True)
class Question:
    """What is asked of one metric."""

    key: Key
    smallest_effect_pct: float
    level: float  # one-sided, for the run
    planned_arms: int
    primary: bool = False  # whether it is the criteria's primary metric and load
    nominal: float | None = None  # level of the t quantile at the look that is asked at; none without looks
    stated: float | None = None  # level that such bounds are stated at

    @property
    def bound_level(self) -> float:
        """Level of the t quantile of each bound."""
        return self.nominal or self.level / self.planned_arms

    def design(self, columns: int, pooled: bool | None) -> Design:
        """What fixes the width of a bound, `columns` arms being in the fit."""
        if self.nominal is None:
            return Design(self.planned_arms, self.level, pooled=pooled)
        return Design(columns, self.nominal * columns, pooled=pooled)

    @property
    def lower_is_better(self) -> bool:
        """Whether a smaller number is the better one."""
        return lower_is_better(self.key[0])


@dataclass(frozen=True)
class Answer:
    """What one arm's numbers say, before validity is asked."""

    speed: Speed
    interval: Interval
    visible_effect_pct: float
    more_blocks: int | None


@dataclass(frozen=True)
class Measured:
    """One metric of the run."""

    blocks: int
    answers: Mapping[str, Answer]  # by fingerprint; arms without a number in some complete block are not in it
    placebo_pct: tuple[float, float] | None  # none with fewer than 2 complete blocks
    placebo_differs: bool


def measure(layout: Layout, question: Question, sound: Sequence[str], gone: Sequence[Departure] = ()) -> Measured:
    """Compare the sound arms that have a number in every complete block; the others leave the layout.

    Arms that are `gone` at an earlier look still say how much launches spread.
    """
    blocks = layout.complete(question.key)
    if len(blocks) < 2:
        return Measured(len(blocks), {}, None, False)
    kept = [arm for arm in sound if has_numbers(layout, arm, question.key, blocks)]
    left = left_behind(layout, question.key, gone)
    return weigh(values_of(layout, question.key, kept, blocks), question, kept, left)


def weigh(values: NDArray[np.float64], question: Question, kept: Sequence[str], left: Carried = NOTHING) -> Measured:
    """Compare numbers of the shape (blocks, 2 + arms), baseline and placebo first, the arms as in `kept`.

    `left` is what arms that stopped earlier say about the spread. Raises ValueError for fewer than 2
    blocks, or a number that is not finite and above 0.
    """
    fitted = fit(logs_of(values), left=left)
    null = placebo_bounds(fitted)
    return Measured(
        blocks=fitted.blocks,
        answers=_answers(fitted, question, kept),
        placebo_pct=(percent(float(null.low)), percent(float(null.high))),
        placebo_differs=bool(placebo_differs(null)),
    )


def _answers(fitted: Fit, question: Question, kept: Sequence[str]) -> dict[str, Answer]:
    if not kept:
        return {}  # a design has at least one arm
    bounds = bounds_at(fitted, np.array(question.bound_level))
    words = speeds(fitted.estimate, bounds, question.smallest_effect_pct, question.lower_is_better)
    pooled = bool(fitted.pooled)
    planned = question.design(len(kept), None if pooled else False)
    answers: dict[str, Answer] = {}
    for index, arm in enumerate(kept):
        estimate, sd = float(fitted.estimate[index]), float(fitted.launch_sd[index])
        speed = Speed(str(words[index]))
        interval = Interval(
            estimate_pct=percent(estimate),
            low_pct=percent(float(bounds.low[index])),
            high_pct=percent(float(bounds.high[index])),
            level=question.stated or question.bound_level,
            launch_sd_pct=100 * sd,
            degrees_of_freedom=int(fitted.freedom[index]),
            pooled=pooled,
            nominal_level=question.nominal,
        )
        more = None
        if speed is Speed.AMBIGUOUS:
            more = more_blocks(estimate, sd, question.smallest_effect_pct, fitted.blocks, planned)
        visible = visible_effect_pct(100 * sd, fitted.blocks, planned.arms, planned.level, pooled=pooled)
        answers[arm] = Answer(speed, interval, visible, more)
    return answers


def percent(log_ratio: float) -> float:
    """A log-ratio as a change in percent, kept finite."""
    return 100 * math.expm1(min(log_ratio, LARGEST_LOG))
