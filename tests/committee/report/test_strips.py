"""The small interval drawings."""

import re

from committee.report.runs import RunView
from committee.report.strips import Axis, axis, strip
from ledger.entries import Verdict


def test_the_axis_holds_every_interval_and_threshold(views: tuple[RunView, ...]) -> None:
    verdicts = [item.payload for item in views[0].primary]
    on = axis(verdicts)
    bounds = [item.interval for item in verdicts if item.interval]
    assert on.low_pct == min(interval.low_pct for interval in bounds)
    assert on.high_pct == max(interval.high_pct for interval in bounds)
    assert axis([]) == Axis(-5.0, 5.0)


def test_positions_are_linear_and_stop_at_the_edge() -> None:
    on = Axis(-10.0, 10.0)
    assert [on.x(value) for value in (-20, -10, 0, 10, 20)] == ["4.0", "4.0", "80.0", "156.0", "156.0"]


def test_bar_tick_band_and_zero_are_drawn_where_they_belong(views: tuple[RunView, ...]) -> None:
    verdict = views[0].primary[0].payload
    assert verdict.interval is not None
    on = Axis(-100.0, 100.0)
    drawn = strip(verdict, on)
    low, mid, high = (on.x(value) for value in (33.8, 46.0, 59.3))
    assert on.x(verdict.interval.low_pct) == low
    assert f'<line x1="{low}" x2="{high}"' in drawn
    assert f'<line x1="{mid}" x2="{mid}"' in drawn
    assert '<line x1="80.0" x2="80.0"' in drawn
    assert re.search(r'<rect x="72\.4" y="1" width="15\.2"', drawn)


def test_no_interval_no_drawing(views: tuple[RunView, ...]) -> None:
    refused: Verdict = views[0].primary[-1].payload
    assert strip(refused, Axis(-1.0, 1.0)) == ""
