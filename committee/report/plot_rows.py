"""Pure: what a run's plot shows, row by row: the control, then arms with a number, then arms without one."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from committee.report.phrases import Phrase, counted, listed
from committee.report.points import Point
from committee.report.runs import RunView
from committee.report.words import metric_words, percent, span
from harness.verdicts.speed import PLACEBO_LEVEL
from ledger.entries import Verdict

PADDING = 0.06  # of the data's range, left free on both sides
NO_SPEED = "none"  # class of rows without a verdict


@dataclass(frozen=True)
class Row:
    """One line of the plot: the control, or one arm."""

    name: str
    words: str  # what stands at the right of the name
    speed: str  # class of its colour: the verdict's speed, control, or none
    points: tuple[Point, ...]
    verdict: Verdict | None  # none for the control and for arms without a number


@dataclass(frozen=True)
class Extent:
    """The horizontal axis, percent."""

    low_pct: float
    high_pct: float


def rows(view: RunView) -> tuple[Row, ...]:
    """The control first, then arms with a number from the largest change down, then arms without one."""
    verdicts = {item.payload.arm: item.payload for item in view.primary}
    control = tuple(point for point in view.points if point.role != "arm")
    arms = [_arm_row(view, arm, verdicts.get(arm)) for arm in view.begun.payload.arms]
    arms.sort(key=lambda row: (_estimate(row) is None, -(_estimate(row) or 0.0), row.name))
    return (Row(Phrase("control"), Phrase("control_words"), "control", control, None), *arms)


def extent(view: RunView, shown: Iterable[Row]) -> Extent:
    """The smallest axis that holds every launch, interval, band and threshold, and zero."""
    values = [0.0]
    for row in shown:
        values += [point.change_pct for point in numbered(row)]
        if row.verdict and row.verdict.interval:
            values += [row.verdict.interval.low_pct, row.verdict.interval.high_pct]
    if view.smallest_effect_pct:
        values += [view.smallest_effect_pct, -view.smallest_effect_pct]
    return around([*values, *(placebo_band(view) or ())])


def around(values: Sequence[float]) -> Extent:
    """An axis with a little room on both sides."""
    room = (max(values) - min(values)) * PADDING or 1.0
    return Extent(min(values) - room, max(values) + room)


def placebo_band(view: RunView) -> tuple[float, float] | None:
    """Bounds of placebo against baseline, percent, as the verdicts record them."""
    found = _with_placebo(view)
    return (found.placebo_low_pct or 0.0, found.placebo_high_pct or 0.0) if found else None


def placebo_words(view: RunView) -> str:
    """Those bounds in words: what is compared, at which level, over what. Empty where there are none."""
    found, band = _with_placebo(view), placebo_band(view)
    if found is None or band is None:
        return ""
    level = f"{100 * (1 - PLACEBO_LEVEL):g}"
    return Phrase("placebo_words", span=span(*band), level=level, blocks=counted("blocks", found.blocks))


def _with_placebo(view: RunView) -> Verdict | None:
    verdicts = (item.payload for item in view.primary)
    return next((one for one in verdicts if one.placebo_low_pct is not None and one.placebo_high_pct is not None), None)


def describe(view: RunView) -> Phrase:
    """The plot in one paragraph, for those who do not see it."""
    arms = listed(*(Phrase("named", name=row.name, words=row.words) for row in rows(view)[1:]))
    return Phrase("plot_described", metric=metric_words(view.metric, view.load), arms=arms)


def number_words(verdict: Verdict) -> Phrase:
    """A verdict's number and speed, and its text where that is not identical."""
    change = percent(verdict.interval.estimate_pct) if verdict.interval else ""
    key = "number_words" if verdict.numerics == "IDENTICAL" else "number_words_text"
    return Phrase(key, change=change, speed=verdict.speed or verdict.validity, numerics=verdict.numerics)


def _arm_row(view: RunView, arm: str, verdict: Verdict | None) -> Row:
    points = tuple(point for point in view.points if point.arm == arm)
    name = points[0].name if points else (verdict.arm_name if verdict else arm[:12])
    if verdict is not None and verdict.validity == "VALID" and verdict.interval and verdict.speed:
        return Row(name, number_words(verdict), verdict.speed, points, verdict)
    undecided = verdict is None or (view.void and verdict.validity == "INVALID")
    if undecided and any(point.change_pct is not None for point in points):
        return Row(name, Phrase("run_void" if view.void else "no_verdict"), NO_SPEED, points, None)
    reason = next((point.reason for point in points if point.reason), None)
    said: str = verdict.validity if verdict is not None else Phrase("no_number")
    words = Phrase("named", name=said, words=reason) if reason else said
    return Row(name, words, NO_SPEED, tuple(_unnumbered(point) for point in points), None)


def _unnumbered(point: Point) -> Point:
    """The point without its number: a missing proof means no number, in the plot too."""
    return replace(point, value=None, change_pct=None)


def _estimate(row: Row) -> float | None:
    return row.verdict.interval.estimate_pct if row.verdict and row.verdict.interval else None


@dataclass(frozen=True)
class Numbered:
    """A point that has a number."""

    change_pct: float
    block: int
    role: str
    name: str


def numbered(row: Row) -> list[Numbered]:
    """The launches of a row that have a number."""
    return [
        Numbered(point.change_pct, point.block, point.role, point.name)
        for point in row.points
        if point.change_pct is not None
    ]
