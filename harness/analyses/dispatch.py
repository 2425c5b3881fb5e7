"""Where two ways of doing one thing cross, and what a dispatcher's threshold that is off costs (lessons R5, M12)."""

import math
from typing import Self

import numpy as np
from pydantic import Field, model_validator

from harness.analyses.answer import Answer, Chart, Fact, Line, NoNumber, Result
from harness.analyses.limits import CallMs, adds_up
from harness.vocabulary.base import Value

LARGEST_M = 1024
MOST_NAMED = 3  # crossings in one sentence; the rest are counted


class Point(Value):
    """One measured time."""

    m: int = Field(ge=1, le=LARGEST_M, description="positions in one call (rows of activations)")
    ms: CallMs = Field(description="time of one call, ms")


class Way(Value):
    """One way of computing: times that grow with M along a straight line, or one time whatever M."""

    name: str = Field(min_length=1, description="its name")
    points: tuple[Point, ...] = Field(default=(), description="measured times; between them it is taken as straight")
    constant_ms: CallMs | None = Field(default=None, description="time whatever M, ms")
    parts_ms: tuple[CallMs, ...] = Field(
        default=(), max_length=1000, description="what the constant time is said to be made of, ms"
    )

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        if (self.constant_ms is None) == (not self.points):
            raise ValueError("give points, or constant_ms")
        if len({point.m for point in self.points}) < len(self.points):
            raise ValueError("one m is given twice; give its mean")
        return self


class Dispatch(Value):
    """Two ways and a dispatcher that takes the first up to its threshold."""

    small: Way = Field(description="the way that is taken up to the threshold")
    large: Way = Field(description="the way that is taken beyond it")
    threshold: int | None = Field(
        default=None, ge=0, le=1_000_000, description="largest M that the dispatcher gives to `small`"
    )
    stated_crossing: float | None = Field(
        default=None, gt=0, le=1_000_000, description="where somebody says that they cross"
    )
    up_to: int = Field(default=64, ge=1, le=LARGEST_M, description="largest M that is looked at")


def time_ms(way: Way, m: int) -> float | None:
    """Measured, or straight between the neighbours; none outside what was measured."""
    if way.constant_ms is not None:
        return way.constant_ms
    points = sorted(way.points, key=lambda point: point.m)
    if not points[0].m <= m <= points[-1].m:
        return None
    return float(np.interp(m, [point.m for point in points], [point.ms for point in points]))


def analyse(asked: Dispatch) -> Result:
    """The crossing, its whole-number threshold, and the cost of the one that is in force."""
    reach = [m for m in range(1, asked.up_to + 1) if _both(asked, m) is not None]
    if not reach:
        return NoNumber("there is no M at which both ways are known; measure both over the same M")
    facts: list[Fact] = []
    cautions = [*_sums(asked.small), *_sums(asked.large), *_thin(asked)]
    turns = [m for m in reach[:-1] if (_gain(asked, m) < 0) != (_gain(asked, m + 1) < 0)]
    if len(turns) == 1 and _gain(asked, reach[0]) >= 0:
        crossing = _crossing(asked, turns[0])
        facts += [
            Fact("crossing", crossing, "positions", 3),
            Fact("best threshold", math.floor(crossing), "positions"),
        ]
        if asked.stated_crossing is not None and abs(asked.stated_crossing - crossing) >= 0.5:
            cautions.append(
                f"the crossing is stated as {asked.stated_crossing:g}, the times given say {crossing:.3g}; measure "
                "between the two before believing either"
            )
    else:
        cautions.append(_no_threshold(asked, reach, turns))
    if asked.threshold is not None:
        facts += _cost(asked, reach)
    if not facts:
        facts.append(
            Fact(f"gain of the better way at M = {reach[-1]}", math.exp(abs(_gain(asked, reach[-1]))), "times")
        )
    return Answer(tuple(facts), tuple(cautions), _chart(asked, reach))


def _both(asked: Dispatch, m: int) -> tuple[float, float] | None:
    small, large = time_ms(asked.small, m), time_ms(asked.large, m)
    return None if small is None or large is None else (small, large)


def _gain(asked: Dispatch, m: int) -> float:
    """Log of the large way's time over the small way's: above 0 where the small way is faster."""
    small, large = _both(asked, m) or (1.0, 1.0)
    return math.log(large / small)


def _crossing(asked: Dispatch, m: int) -> float:
    """Where between m and m + 1 both take the same time, straight between whole numbers."""
    here, there = _both(asked, m) or (1.0, 1.0), _both(asked, m + 1) or (1.0, 1.0)
    before, after = here[1] - here[0], there[1] - there[0]
    return m + before / (before - after)


def _no_threshold(asked: Dispatch, reach: list[int], turns: list[int]) -> str:
    """Why no threshold up to which the small way is taken follows from these times."""
    gains = [_gain(asked, m) for m in reach]
    span = f"every M from {reach[0]} to {reach[-1]}"
    if not any(gains):
        return f"both take the same time at {span}, so either will do"
    if not turns:
        which = asked.small.name if max(gains) > 0 else asked.large.name
        return f"{which} is faster at {span}: they do not cross there"
    where = ", ".join(f"{m} and {m + 1}" for m in turns[:MOST_NAMED])
    if len(turns) > 1:
        more = f" and {len(turns) - MOST_NAMED} more" if len(turns) > MOST_NAMED else ""
        return f"they cross between {where}{more}, so no one threshold gives every M to the faster way"
    return (
        f"{asked.large.name} is faster up to M = {turns[0]} and {asked.small.name} beyond: they cross between {where}, "
        f"but a threshold takes {asked.small.name} first; name them the other way round"
    )


def _cost(asked: Dispatch, reach: list[int]) -> list[Fact]:
    """What the threshold in force loses: at its worst M, and in how many M."""
    threshold = asked.threshold or 0
    losses = {}
    for m in reach:
        small, large = _both(asked, m) or (1.0, 1.0)
        losses[m] = (small if m <= threshold else large) / min(small, large)
    worst = max(losses, key=lambda m: losses[m])
    wrong = [m for m, loss in losses.items() if loss > 1]
    return [
        Fact(f"M given to the slower way by the threshold {threshold}", len(wrong), "values of M"),
        Fact("worst loss", losses[worst], "times", 3),
        Fact("worst loss at M", worst, ""),
    ]


def _sums(way: Way) -> list[str]:
    if not way.parts_ms or way.constant_ms is None:
        return []
    if adds_up(way.parts_ms, way.constant_ms):
        return []
    total = f"{sum(way.parts_ms):.4g}"
    return [f"{way.name}: the parts add up to {total} ms and the whole is given as {way.constant_ms:.4g} ms"]


def _thin(asked: Dispatch) -> list[str]:
    return [
        f"{way.name}: two points and a straight line between them leave nothing to test the line with"
        for way in (asked.small, asked.large)
        if len(way.points) == 2
    ]


def _chart(asked: Dispatch, reach: list[int]) -> Chart:
    lines = []
    for way in (asked.small, asked.large):
        times = [(float(m), time_ms(way, m)) for m in reach]
        known = [(m, ms) for m, ms in times if ms is not None]
        lines.append(Line(way.name, tuple(m for m, _ in known), tuple(ms for _, ms in known)))
    return Chart("Time of one call over positions", "positions (M)", "ms", tuple(lines))
