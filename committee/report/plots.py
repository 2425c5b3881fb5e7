"""Pure: a chart as lanes on one percent axis, ready for the template that draws it as inline SVG of any width.

Positions are shares of the width in percent, so one drawing fits a phone, a desk and paper; colours are classes of the
page's style, so that it serves light, dark and print. No library draws, so a page of many charts costs little.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from committee.report.phrases import Phrase, counted
from committee.report.plot_rows import Extent, Row, around, describe, extent, numbered, placebo_band, rows
from committee.report.runs import RunView
from committee.report.words import metric_words, percent, signed
from ledger.entries import Verdict

JITTER_PX = 3  # blocks are spread a little, so that equal launches stay visible
DOT_Y = 22  # pixels from the top of a lane
FEWEST_STEPS = 5  # of the axis, at most: so that labels never touch on a phone
EDGE = 6.0  # percent of the width at either side in which a centred label would be cut
MOST_CLAIMED_PCT = 200.0  # what a chart shows of a prediction
CROSSES = 12  # signs for launches without a number; more are counted only


@dataclass(frozen=True)
class Dot:
    """One launch."""

    x: str  # percent of the width
    y: int
    shape: Literal["arm", "placebo", "baseline"]
    title: Phrase


@dataclass(frozen=True)
class Bar:
    """An interval with its estimate, percent of the width."""

    low: str
    mid: str
    high: str


@dataclass(frozen=True)
class Stretch:
    """A part of the axis, percent of the width."""

    x: str
    width: str


@dataclass(frozen=True)
class Lane:
    """One row of the chart."""

    name: str
    words: str
    speed: str  # class of its colour
    dots: tuple[Dot, ...] = ()
    bar: Bar | None = None
    claimed: Stretch | None = None  # an interval that somebody predicted
    crosses: str = ""
    missing: str = ""  # how many launches have no number, in words
    link: str = ""  # page about it
    note: str = ""  # what stands under the name

    @property
    def drawn(self) -> bool:
        """Whether there is anything on the axis."""
        return bool(self.dots or self.bar or self.claimed)


@dataclass(frozen=True)
class Tick:
    """A labelled place of the axis."""

    x: str
    text: str
    anchor: Literal["start", "middle", "end"]  # so that no label is cut at an edge


@dataclass(frozen=True)
class Chart:
    """Lanes and what they share."""

    lanes: tuple[Lane, ...]
    zero: str
    ticks: tuple[Tick, ...]
    title: Phrase  # of the axis
    described: Phrase  # for those who do not see it
    effects: tuple[str, ...] = ()  # smallest effect that matters, either side
    band: Stretch | None = None  # placebo against baseline


@dataclass(frozen=True)
class Interval:
    """One verdict or prediction to draw in a chart of intervals."""

    name: str
    verdict: Verdict | None
    words: str
    claimed: tuple[float, float] | None = None
    link: str = ""
    note: str = ""
    measured: "Bounds | None" = None  # where there is no verdict of a server
    speed: str = ""  # class of its colour, where there is none

    @property
    def bounds(self) -> tuple[float, float, float] | None:
        """Lower bound, estimate and upper bound, percent; none where there is no number."""
        found = self.verdict.interval if self.verdict else self.measured
        if found is None or found.low_pct is None or found.estimate_pct is None or found.high_pct is None:
            return None
        return found.low_pct, found.estimate_pct, found.high_pct


class Bounds(Protocol):
    """An interval with its estimate, percent."""

    @property
    def low_pct(self) -> float | None:
        """The lower bound."""

    @property
    def estimate_pct(self) -> float | None:
        """The estimate."""

    @property
    def high_pct(self) -> float | None:
        """The upper bound."""


def launch_plot(view: RunView) -> Chart:
    """Every launch of a run."""
    shown = rows(view)
    on = extent(view, shown)
    effect, band = view.smallest_effect_pct, placebo_band(view)
    metric = metric_words(view.metric, view.load)
    return Chart(
        lanes=tuple(_lane(row, on) for row in shown),
        zero=place(on, 0.0),
        ticks=ticks(on),
        title=Phrase("axis_of_launches", metric=metric),
        described=describe(view),
        effects=(place(on, -effect), place(on, effect)) if effect else (),
        band=_stretch(band, on),
    )


def interval_plot(intervals: Sequence[Interval], title: Phrase, described: Phrase) -> Chart:
    """Several intervals on one axis."""
    claimed = [bound for one in intervals for bound in _shown(one.claimed) or ()]
    values = [0.0, *claimed, *(value for one in intervals for value in one.bounds or ())]
    on = around(values)
    lanes = tuple(
        Lane(
            name=one.name,
            words=one.words,
            speed=(one.verdict.speed if one.verdict else one.speed) or "none",
            bar=_bar(one.bounds, on),
            claimed=_stretch(_shown(one.claimed), on),
            link=one.link,
            note=one.note,
        )
        for one in intervals
    )
    return Chart(lanes, place(on, 0.0), ticks(on), title, described)


def ticks(on: Extent) -> tuple[Tick, ...]:
    """A few round values."""
    step = _round_step((on.high_pct - on.low_pct) / FEWEST_STEPS)
    first, last = math.ceil(on.low_pct / step), math.floor(on.high_pct / step)
    values = [number * step for number in range(first, last + 1)]
    digits = max(0, -math.floor(math.log10(step)))
    return tuple(
        Tick(place(on, value), signed(value, digits) if value else "0", _anchor(_percent(value, on)))
        for value in values
    )


def _anchor(percent_of_width: float) -> Literal["start", "middle", "end"]:
    if percent_of_width < EDGE:
        return "start"
    return "end" if percent_of_width > 100 - EDGE else "middle"


def place(on: Extent, value_pct: float) -> str:
    """A value's place on the axis, percent of the width."""
    return f"{_percent(value_pct, on):.2f}"


def _lane(row: Row, on: Extent) -> Lane:
    missing = sum(1 for point in row.points if point.change_pct is None)
    return Lane(
        name=row.name,
        words=row.words,
        speed=row.speed,
        dots=tuple(_dots(row, on)),
        bar=_bar(Interval("", row.verdict, "").bounds, on),
        crosses="×" * min(missing, CROSSES),
        missing=counted("launches_without_number", missing) if missing else "",
    )


def _dots(row: Row, on: Extent) -> Iterable[Dot]:
    for point in numbered(row):
        shape: Literal["arm", "placebo", "baseline"] = "arm"
        if point.role == "baseline":
            shape = "baseline"
        elif point.role == "placebo":
            shape = "placebo"
        title = Phrase("dot_title", name=point.name, block=point.block + 1, change=percent(point.change_pct))
        yield Dot(place(on, point.change_pct), DOT_Y + JITTER_PX * ((point.block % 3) - 1), shape, title)


def _bar(bounds: tuple[float, float, float] | None, on: Extent) -> Bar | None:
    return None if bounds is None else Bar(*(place(on, value) for value in bounds))


def _stretch(bounds: tuple[float, float] | None, on: Extent) -> Stretch | None:
    return None if bounds is None else Stretch(place(on, bounds[0]), _share(bounds[1] - bounds[0], on))


def _shown(claimed: tuple[float, float] | None) -> tuple[float, float] | None:
    """A claim as far as a chart shows it, so that one boast does not squeeze every measurement into a dot."""
    return None if claimed is None else (_within(claimed[0]), _within(claimed[1]))


def _within(value_pct: float) -> float:
    return min(MOST_CLAIMED_PCT, max(-100.0, value_pct))


def _percent(value_pct: float, on: Extent) -> float:
    return 100.0 * (value_pct - on.low_pct) / (on.high_pct - on.low_pct)


def _share(width_pct: float, on: Extent) -> str:
    return f"{100.0 * width_pct / (on.high_pct - on.low_pct):.2f}"


def _round_step(least: float) -> float:
    """The smallest of 1, 2 and 5 times a power of ten that is not below `least`."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least * (1 - 1e-9))
