"""Step time over tensor-parallel sizes: t = F + bytes / bandwidth, and a size left out predicted (lesson M10)."""

from dataclasses import dataclass
from itertools import combinations, product
from typing import Self

import numpy as np
import scipy  # its parts load when they are first used
from pydantic import Field, model_validator

from harness.analyses.answer import Answer, Chart, Fact, Line, NoNumber, Result
from harness.analyses.limits import Cards, StepMs, WeightsGb, too_fast_a_read
from harness.vocabulary.base import Value

CONFIDENCE = 0.95
STATED_APART = 0.01  # relative; stated and computed fixed times further apart than rounding explains are said


class Size(Value):
    """One tensor-parallel size."""

    cards: Cards = Field(description="tensor-parallel size")
    gb_per_card: WeightsGb = Field(description="weights that each card reads a step, GB")
    step_ms: StepMs = Field(description="time of one decoding step of one user, ms")
    held_out: bool = Field(default=False, description="predicted from the others, not fitted")

    @model_validator(mode="after")
    def _could_be_read(self) -> Self:
        if said := too_fast_a_read(self.gb_per_card, self.step_ms):
            raise ValueError(said)
        return self


class Stated(Value):
    """A line that somebody states."""

    ms_per_gb: float = Field(ge=1e-6, le=1e9, description="its slope, ms a GB")
    fixed_ms: float = Field(ge=-1e9, le=1e9, description="its fixed time, ms")


class StepTime(Value):
    """Measured step times and how exactly they are known."""

    sizes: tuple[Size, ...] = Field(min_length=1, description="one row a tensor-parallel size")
    step_ms_rounding: float = Field(default=0.0, ge=0, le=1, description="unit of the last digit of step_ms")
    stated: tuple[Stated, ...] = Field(default=(), description="lines through pairs as somebody states them")
    gb_rounding: float = Field(default=0.0, ge=0, le=1, description="unit of the last digit of gb_per_card")

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        if len({size.cards for size in self.sizes}) < len(self.sizes):
            raise ValueError("a tensor-parallel size is given twice; give its mean")
        return self


@dataclass(frozen=True)
class Fit:
    """t = fixed_ms + ms_per_gb x GB."""

    fixed_ms: float
    ms_per_gb: float

    def at(self, gb: float) -> float:
        """Step time in ms."""
        return self.fixed_ms + self.ms_per_gb * gb


def fitted(points: tuple[tuple[float, float], ...]) -> Fit:
    """Least squares over (GB, ms); the sizes of two points must differ."""
    gb, ms = np.array(points, dtype=float).T
    slope = float(np.sum((gb - gb.mean()) * (ms - ms.mean())) / np.sum((gb - gb.mean()) ** 2))
    return Fit(float(ms.mean() - slope * gb.mean()), slope)


def analyse(asked: StepTime) -> Result:
    """The fit, each held-out size predicted beside its measurement, and the line through every pair."""
    used = tuple(size for size in asked.sizes if not size.held_out)
    if len({size.gb_per_card for size in used}) < 2:
        return NoNumber("a line needs two sizes with different bytes a card that are not held out; add one")
    if max(size.gb_per_card for size in used) - min(size.gb_per_card for size in used) <= asked.gb_rounding:
        return NoNumber("the sizes' bytes a card differ by no more than their rounding; give them more exactly")
    points = tuple((size.gb_per_card, size.step_ms) for size in used)
    line = fitted(points)
    if line.ms_per_gb <= 0:
        return NoNumber("more bytes took less time, so bytes are not what these steps wait for: no such model")
    facts = [
        Fact("fixed time a step", line.fixed_ms, "ms"),
        Fact("time per GB", line.ms_per_gb, "ms/GB"),
        Fact("bandwidth a card", 1000 / line.ms_per_gb, "GB/s", 3),
    ]
    facts += [Fact(f"measured rate, {_cards(one)}", 1000 / one.step_ms, "tok/s") for one in used]
    cautions = []
    if line.fixed_ms < 0:
        cautions.append("the fixed time is below 0, which no step can have: something else grows with the bytes")
    for size in asked.sizes:
        if size.held_out and line.at(size.gb_per_card) <= 0:
            cautions.append(f"the line gives {_cards(size)} no time above 0, so nothing is predicted there")
        elif size.held_out:
            facts += _predicted(asked, used, size)
    if len(used) == 2:
        cautions.append(
            "two sizes and two parameters leave nothing that could show an error of the model: the interval is that of "
            "the inputs' rounding alone, and only a held-out size can test the line"
        )
    cautions += _pairs(asked.sizes)
    cautions += _stated(asked)
    return Answer(tuple(facts), tuple(cautions), _chart(asked, line))


def _cards(size: Size) -> str:
    return f"{size.cards} card{'s' if size.cards > 1 else ''}"


def _predicted(asked: StepTime, used: tuple[Size, ...], size: Size) -> list[Fact]:
    name = _cards(size)
    line = fitted(tuple((one.gb_per_card, one.step_ms) for one in used))
    at_ms = line.at(size.gb_per_card)
    low, high = _rounding(asked, used, size)
    if len(used) > 2:
        half = _half_width(used, line, size.gb_per_card)
        low, high = min(low, at_ms - half), max(high, at_ms + half)
    facts = [
        Fact(f"predicted step, {name}", at_ms, "ms"),
        Fact(f"predicted rate, {name}", 1000 / at_ms, "tok/s", 3),
        Fact(f"measured rate, {name}", 1000 / size.step_ms, "tok/s"),
        Fact(f"prediction against measurement, {name}", 100 * (size.step_ms / at_ms - 1), "%", 2),
    ]
    if high > low > 0:
        facts += [
            Fact(f"lowest predicted rate, {name}", 1000 / high, "tok/s", 3),
            Fact(f"highest predicted rate, {name}", 1000 / low, "tok/s", 3),
        ]
    return facts


def _rounding(asked: StepTime, used: tuple[Size, ...], size: Size) -> tuple[float, float]:
    """Least and most ms that inputs within half a unit of their last digit predict (two-point lines are monotone)."""
    halves = (-0.5, 0.5)
    shifts = product(product(halves, halves), repeat=len(used)) if len(used) <= 4 else ()
    found = [fitted(tuple((one.gb_per_card, one.step_ms) for one in used)).at(size.gb_per_card)]
    for shift in shifts:
        moved = tuple(
            (one.gb_per_card + gb * asked.gb_rounding, one.step_ms + ms * asked.step_ms_rounding)
            for one, (gb, ms) in zip(used, shift, strict=True)
        )
        found += [fitted(moved).at(size.gb_per_card + half * asked.gb_rounding) for half in halves]
    return min(found), max(found)


def _half_width(used: tuple[Size, ...], line: Fit, gb: float) -> float:
    """Half of the prediction interval of one new size, ms; Student t with n - 2 degrees of freedom."""
    sizes = np.array([one.gb_per_card for one in used])
    rest = np.array([one.step_ms - line.at(one.gb_per_card) for one in used])
    freedom = len(used) - 2
    spread = np.sqrt(np.sum(rest**2) / freedom)
    reach = 1 + 1 / len(used) + (gb - sizes.mean()) ** 2 / np.sum((sizes - sizes.mean()) ** 2)
    return float(scipy.special.stdtrit(freedom, (1 + CONFIDENCE) / 2) * spread * np.sqrt(reach))


def _pairs(sizes: tuple[Size, ...]) -> list[str]:
    """Slope and intercept of every pair, side by side: lists of each alone are easily read in opposite order."""
    if len(sizes) < 3:
        return []
    said = []
    for one, other in combinations(sizes, 2):
        if one.gb_per_card == other.gb_per_card:
            continue
        line = fitted(((one.gb_per_card, one.step_ms), (other.gb_per_card, other.step_ms)))
        said.append(f"{one.cards} and {other.cards}: {line.ms_per_gb:.3f} ms/GB with {line.fixed_ms:.2f} ms fixed")
    return [f"the line through each pair of sizes: {'; '.join(said)}"]


def _stated(asked: StepTime) -> list[str]:
    """Stated lines that no pair has; lists of slopes and of fixed times may stand in opposite orders."""
    lines = [
        fitted(((one.gb_per_card, one.step_ms), (other.gb_per_card, other.step_ms)))
        for one, other in combinations(asked.sizes, 2)
        if one.gb_per_card != other.gb_per_card
    ]
    if not lines:
        return []
    said = []
    for stated in asked.stated:
        line = min(lines, key=lambda found: abs(found.ms_per_gb - stated.ms_per_gb))
        if not _near(line.ms_per_gb, stated.ms_per_gb):
            said.append(f"no pair of these sizes has the slope of {stated.ms_per_gb:g} ms/GB that is stated")
        elif not _near(line.fixed_ms, stated.fixed_ms):
            anothers = any(_near(other.fixed_ms, stated.fixed_ms) for other in lines)
            said.append(
                f"a slope of {stated.ms_per_gb:g} ms/GB is stated with {stated.fixed_ms:g} ms fixed; the pair with "
                f"that slope has {line.fixed_ms:.2f} ms"
                + (": the two lists stand in opposite orders" if anothers else ", and no other pair has that either")
            )
    return said


def _near(one: float, other: float) -> bool:
    return abs(one - other) <= STATED_APART * max(abs(one), abs(other))


def _chart(asked: StepTime, line: Fit) -> Chart:
    gb = tuple(size.gb_per_card for size in asked.sizes)
    ends = (0.0, max(gb) * 1.05)
    return Chart(
        "Step time over bytes read",
        "GB a card and step",
        "ms a step",
        (
            Line("fitted line", ends, tuple(line.at(end) for end in ends)),
            Line("measured", gb, tuple(size.step_ms for size in asked.sizes), joined=False),
        ),
    )
