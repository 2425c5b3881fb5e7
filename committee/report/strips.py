"""The small interval drawings in the table of lines: a bar on one axis for a whole question. Numbers only, no text."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from ledger.entries import Verdict

WIDTH, HEIGHT, MARGIN = 160.0, 18.0, 4.0
LEAST_PCT = 5.0  # the axis never shows less than this to either side, so that noise does not look large


@dataclass(frozen=True)
class Axis:
    """The common axis of a question's strips, percent."""

    low_pct: float
    high_pct: float

    def x(self, value_pct: float) -> str:
        """A position on the drawing; values outside stop at the edge."""
        share = (value_pct - self.low_pct) / (self.high_pct - self.low_pct)
        return f"{MARGIN + (WIDTH - 2 * MARGIN) * min(1.0, max(0.0, share)):.1f}"


def axis(verdicts: Sequence[Verdict]) -> Axis:
    """Wide enough for every interval and every smallest effect that matters."""
    values = [LEAST_PCT, -LEAST_PCT]
    for verdict in verdicts:
        values += [verdict.smallest_effect_pct, -verdict.smallest_effect_pct]
        if verdict.interval is not None:
            values += [verdict.interval.low_pct, verdict.interval.high_pct]
    return Axis(min(values), max(values))


def strip(verdict: Verdict, on: Axis) -> Markup:
    """Interval as a bar, estimate as a tick, the range that does not matter as a band, zero as a line."""
    if verdict.interval is None:
        return Markup("")
    interval, effect = verdict.interval, verdict.smallest_effect_pct
    left, right = float(on.x(-effect)), float(on.x(effect))
    return Markup(
        '<svg class="strip" viewBox="0 0 {w:g} {h:g}" aria-hidden="true">'
        '<rect x="{left}" y="1" width="{width:.1f}" height="16" fill="var(--band)"/>'
        '<line x1="{zero}" x2="{zero}" y1="0" y2="18" stroke="var(--axis)"/>'
        '<line x1="{low}" x2="{high}" y1="9" y2="9" stroke="currentColor" stroke-width="5" stroke-linecap="round"'
        ' opacity="0.55"/><line x1="{mid}" x2="{mid}" y1="2" y2="16" stroke="currentColor" stroke-width="3"/></svg>'
    ).format(
        w=WIDTH, h=HEIGHT, left=left, width=right - left, zero=on.x(0), low=on.x(interval.low_pct),
        high=on.x(interval.high_pct), mid=on.x(interval.estimate_pct),
    )  # fmt: skip
