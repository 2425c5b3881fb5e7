"""A run's launches as one inline SVG: no script, no font and no picture from elsewhere.

Colours are CSS variables of the page, so that the same drawing serves light, dark and print.
"""

from dataclasses import dataclass
from typing import Any

from committee.report.plot_rows import Row, describe, extent, numbered, placebo_band, rows
from committee.report.runs import RunView
from committee.report.svg import tidy
from committee.report.words import clean, metric_words, plural

WIDE_PX, NARROW_PX = 720, 336  # a desk's column, and a small phone's screen less its margins
ROW_PX = 52  # label line, interval, dots
LABEL_Y, BAR_Y, DOT_Y = 10, 27, 39  # inside a row
LANE_TOP, LANE_BOTTOM = 19, 47  # the part of a row that holds interval and dots
JITTER_PX = 3.0  # blocks are spread a little, so that equal launches stay visible
TICK_EVERY_PX = 80  # so that labels never touch
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Noto Sans CJK TC', sans-serif"

Values = list[dict[str, object]]


class PlotLibraryMissingError(RuntimeError):
    """The drawing libraries are part of the extra `review`, which is not installed."""


@dataclass(frozen=True)
class Canvas:
    """What every layer is drawn on: the library, the two axes in percent and pixels, and the size."""

    alt: Any
    view: RunView
    shown: tuple[Row, ...]
    width_px: int
    low_pct: float
    high_pct: float

    @property
    def height_px(self) -> int:
        """Height without the axis."""
        return ROW_PX * len(self.shown)

    @property
    def y(self) -> Any:
        """Pixels from the top."""
        return self.alt.Y("y:Q", scale=self.alt.Scale(domain=[self.height_px, 0], nice=False), axis=None)

    def x(self, name: str = "x") -> Any:
        """The change in percent held in field `name`."""
        alt = self.alt
        axis = alt.Axis(
            title=f"{metric_words(self.view.metric, self.view.load)}: change against the block's control, %",
            labelExpr="datum.value == 0 ? '0' : format(datum.value, '+~g')", domain=False, gridColor="var(--grid)",
            tickCount=max(4, self.width_px // TICK_EVERY_PX),
            tickColor="var(--grid)", labelColor="var(--muted)", titleColor="var(--muted)", titleFontWeight="normal",
            labelFontSize=11, titleFontSize=11, titleLimit=self.width_px,
        )  # fmt: skip
        scale = alt.Scale(domain=[self.low_pct, self.high_pct], nice=False, zero=False)
        return alt.X(f"{name}:Q", scale=scale, axis=axis)

    def data(self, values: Values) -> Any:
        """A chart over a few values."""
        return self.alt.Chart(self.alt.Data(values=values))

    @property
    def colour(self) -> Any:
        """The colour as the row says it."""
        return self.alt.Color("colour:N", scale=None)


def launch_plot(view: RunView, width_px: int) -> str:
    """The SVG element. Raises PlotLibraryMissingError where the extra `review` is not installed."""
    try:
        import altair as alt  # noqa: PLC0415 - heavy and optional
        import vl_convert  # noqa: PLC0415 - heavy and optional
    except ImportError as error:
        raise PlotLibraryMissingError(
            "drawing the report needs altair and vl-convert-python; install committee with its extra `review`"
        ) from error
    shown = rows(view)
    span = extent(view, shown)
    canvas = Canvas(alt, view, shown, width_px, span.low_pct, span.high_pct)
    layers = [*_band(canvas), *_rules(canvas), *_dots(canvas), *_intervals(canvas), *_labels(canvas)]
    chart = (
        alt.layer(*layers)
        .properties(width=width_px, height=canvas.height_px, background="transparent", padding=1)
        .configure(font=FONT)
        .configure_view(stroke=None)
    )
    drawn = vl_convert.vegalite_to_svg(chart.to_dict(validate=False))
    return tidy(drawn, prefix=f"r{view.begun.seq}w{width_px}", description=clean(describe(view)))


def _lanes(on: Canvas) -> list[tuple[int, int]]:
    """Top and bottom of the part of a row that holds data; labels stand above it, so that no line crosses them."""
    return [
        (index * ROW_PX + LANE_TOP, index * ROW_PX + LANE_BOTTOM) for index, row in enumerate(on.shown) if numbered(row)
    ]


def _band(on: Canvas) -> list[Any]:
    band = placebo_band(on.view)
    if band is None:
        return []
    lanes: Values = [{"x": band[0], "x2": band[1], "y": top, "y2": bottom} for top, bottom in _lanes(on)]
    return [on.data(lanes).mark_rect(color="var(--band)").encode(x=on.x(), x2="x2:Q", y=on.y, y2="y2:Q")]


def _rules(on: Canvas) -> list[Any]:
    effect, zero = on.view.smallest_effect_pct, [0.0]
    styles = [(zero, {"color": "var(--axis)", "strokeWidth": 1.2})]
    if effect:
        styles.append(([-effect, effect], {"color": "var(--effect)", "strokeDash": [4, 3], "strokeWidth": 1.5}))
    drawn = []
    for at, style in styles:
        values: Values = [{"x": x, "y": top, "y2": bottom} for x in at for top, bottom in _lanes(on)]
        drawn.append(on.data(values).mark_rule(**style).encode(x=on.x(), y=on.y, y2="y2:Q"))
    return drawn


def _dots(on: Canvas) -> list[Any]:
    filled: Values = []
    hollow: Values = []
    for index, row in enumerate(on.shown):
        for point in numbered(row):
            y = index * ROW_PX + DOT_Y + JITTER_PX * ((point.block % 3) - 1)
            shape = "diamond" if point.role == "placebo" else "circle"
            one = {"x": point.change_pct, "y": y, "colour": row.colour, "shape": shape}
            (hollow if point.role == "baseline" else filled).append(one)
    shape = on.alt.Shape("shape:N", scale=None)
    drawn = []
    if filled:
        marks = on.data(filled).mark_point(filled=True, size=46, opacity=0.72)
        drawn.append(marks.encode(x=on.x(), y=on.y, color=on.colour, shape=shape))
    if hollow:
        marks = on.data(hollow).mark_point(filled=False, size=42, strokeWidth=1.4)
        drawn.append(marks.encode(x=on.x(), y=on.y, stroke=on.alt.value("var(--ink)"), shape=shape))
    return drawn


def _intervals(on: Canvas) -> list[Any]:
    values: Values = [
        {
            "low": row.verdict.interval.low_pct, "high": row.verdict.interval.high_pct,
            "estimate": row.verdict.interval.estimate_pct, "y": index * ROW_PX + BAR_Y, "colour": row.colour,
        }
        for index, row in enumerate(on.shown)
        if row.verdict and row.verdict.interval
    ]  # fmt: skip
    if not values:
        return []
    chart = on.data(values)
    bar = chart.mark_rule(strokeWidth=5, strokeCap="round", opacity=0.55)
    tick = chart.mark_tick(thickness=3, size=15, orient="vertical")
    return [
        bar.encode(x=on.x("low"), x2="high:Q", y=on.y, color=on.colour),
        tick.encode(x=on.x("estimate"), y=on.y, color=on.colour),
    ]


def _labels(on: Canvas) -> list[Any]:
    names: Values = []
    said: Values = []
    crosses: Values = []
    for index, row in enumerate(on.shown):
        top = index * ROW_PX
        names.append({"x": on.low_pct, "y": top + LABEL_Y, "text": row.name})
        said.append({"x": on.high_pct, "y": top + LABEL_Y, "text": row.words, "colour": row.colour})
        missing = sum(1 for point in row.points if point.change_pct is None)
        if missing:
            words = f"{'×' * missing}  {plural(missing, 'launch', 'launches')} without a number"
            crosses.append({"x": on.low_pct, "y": top + DOT_Y, "text": words})
    text, style = on.alt.Text("text:N"), {"fontSize": 12, "baseline": "middle"}
    left = on.data(names).mark_text(align="left", fontWeight=600, color="var(--ink)", limit=on.width_px * 0.4, **style)
    right = on.data(said).mark_text(align="right", limit=on.width_px * 0.58, **style)
    drawn = [
        left.encode(x=on.x(), y=on.y, text=text),
        right.encode(x=on.x(), y=on.y, text=text, color=on.colour),
    ]
    if crosses:
        marks = on.data(crosses).mark_text(align="left", color="var(--muted)", limit=on.width_px * 0.95, **style)
        drawn.append(marks.encode(x=on.x(), y=on.y, text=text))
    return drawn
