"""Pure: a chart as one self-contained SVG, readable without colour, script or font of its own."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

from harness.analyses.answer import Chart, Line

WIDTH, HEIGHT = 720, 440
LEFT, RIGHT, TOP, BOTTOM = 74, 20, 40, 96
DASHES = ("none", "7 4", "2 3", "10 3 2 3", "4 2")  # lines differ by dash as well as by colour
COLOURS = ("#1f6f8b", "#b3541e", "#4b7f3a", "#6b4fa0", "#8a2f4a")
TICKS = 5
ROOM = 0.04  # of a linear axis, left free beside the outermost values


@dataclass(frozen=True)
class _Axis:
    low: float
    high: float
    start: float  # where `low` lies, pixels
    length: float  # signed
    logarithmic: bool

    def place(self, value: float) -> float:
        """Pixels of a value."""
        low, high, at = self.low, self.high, value
        if self.logarithmic:
            low, high, at = math.log(low), math.log(high), math.log(at)
        return self.start + self.length * (at - low) / (high - low)

    def ticks(self) -> list[float]:
        """A few round values inside the axis."""
        if self.logarithmic:
            factor = (self.high / self.low) ** (1 / (TICKS - 1))
            rounded = [float(f"{self.low * factor**step:.2g}") for step in range(TICKS)]
            return [value for value in rounded if self.low <= value <= self.high]
        raw = (self.high - self.low) / TICKS
        unit = 10.0 ** math.floor(math.log10(raw))
        step = next((unit * times for times in (1, 2, 5) if unit * times >= raw), unit * 10)
        first = math.ceil(self.low / step)
        return [place * step for place in range(first, math.floor(self.high / step) + 1)]


def draw(chart: Chart) -> str:
    """The chart. Raises ValueError for a chart without a point, or for one that is not above 0 on logarithmic axes."""
    xs = [x for line in chart.lines for x in line.xs]
    ys = [y for line in chart.lines for y in line.ys]
    if not xs or len(xs) != len(ys):
        raise ValueError(f"{chart.title!r} has {len(xs)} x and {len(ys)} y values")
    across = _axis(xs, LEFT, WIDTH - LEFT - RIGHT, chart.logarithmic)
    up = _axis(ys, HEIGHT - BOTTOM, -(HEIGHT - TOP - BOTTOM), chart.logarithmic)
    said = f"{chart.title}: {'; '.join(line.name for line in chart.lines)}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="{escape(said, {chr(34): "&quot;"})}" font-family="sans-serif" font-size="13">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
        _text(LEFT, 22, chart.title, weight="bold"),
        _text(LEFT + (WIDTH - LEFT - RIGHT) / 2, HEIGHT - 52, chart.x_words, anchor="middle"),
        f'<g transform="translate(16 {TOP + (HEIGHT - TOP - BOTTOM) / 2}) rotate(-90)">'
        f"{_text(0, 0, chart.y_words, anchor='middle')}</g>",
        *_scales(across, up),
        *(piece for place, line in enumerate(chart.lines) for piece in _line(line, place, across, up)),
        *_legend(chart.lines),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _axis(values: Sequence[float], start: float, length: float, logarithmic: bool) -> _Axis:
    low, high = min(values), max(values)
    if logarithmic:
        if low <= 0:
            raise ValueError(f"{low} has no place on a logarithmic axis")
        return _Axis(low / 1.1, high * 1.1, start, length, logarithmic=True)
    low = min(low, 0.0)
    room = ROOM * (high - low) or 1.0
    return _Axis(low, high + room, start, length, logarithmic=False)


def _scales(across: _Axis, up: _Axis) -> list[str]:
    base = HEIGHT - BOTTOM
    parts = [f'<path d="M{LEFT} {TOP}V{base}H{WIDTH - RIGHT}" fill="none" stroke="#333"/>']
    for value in across.ticks():
        at = across.place(value)
        parts += [f'<path d="M{at:.1f} {base}v5" stroke="#333"/>', _text(at, base + 19, _short(value), anchor="middle")]
    for value in up.ticks():
        at = up.place(value)
        parts += [
            f'<path d="M{LEFT} {at:.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>',
            _text(LEFT - 7, at + 4, _short(value), anchor="end"),
        ]
    return parts


def _line(line: Line, place: int, across: _Axis, up: _Axis) -> list[str]:
    colour, dash = COLOURS[place % len(COLOURS)], DASHES[place % len(DASHES)]
    points = [(across.place(x), up.place(y)) for x, y in zip(line.xs, line.ys, strict=True)]
    parts = [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in points if not _dense(line)]
    if line.joined:
        way = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        parts.append(f'<path d="M{way}" fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}"/>')
    return parts


def _dense(line: Line) -> bool:
    """A joined line of many points is drawn without its points."""
    return line.joined and len(line.xs) > 12


def _legend(lines: Sequence[Line]) -> list[str]:
    parts, at = [], float(LEFT)
    for place, line in enumerate(lines[: len(COLOURS)]):
        colour, dash = COLOURS[place], DASHES[place]
        parts.append(
            f'<path d="M{at} {HEIGHT - 24}h26" stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}"/>'
            if line.joined
            else f'<circle cx="{at + 13}" cy="{HEIGHT - 24}" r="3" fill="{colour}"/>'
        )
        parts.append(_text(at + 32, HEIGHT - 20, line.name))
        at += 48 + 7.2 * len(line.name)
    return parts


def _text(x: float, y: float, words: str, anchor: str = "start", weight: str = "normal") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-weight="{weight}">{escape(words)}</text>'


def _short(value: float) -> str:
    if value and (abs(value) >= 100_000 or abs(value) < 0.001):
        return f"{value / 1000:,.0f}k" if abs(value) >= 1 else f"{value:.1e}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
