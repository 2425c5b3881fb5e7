"""A run's chart: every launch at its place, one axis, texts escaped, nothing from elsewhere."""

from dataclasses import replace
from itertools import pairwise

import pytest

from committee.report.phrases import Phrase
from committee.report.plot_rows import Extent, around
from committee.report.plots import Interval, Lane, interval_plot, launch_plot, place, ticks
from committee.report.points import Launched
from committee.report.runs import RunView


def lane(view: RunView, name: str) -> Lane:
    """One row of a run's chart."""
    return next(one for one in launch_plot(view).lanes if one.name == name)


def test_every_launch_with_a_number_is_one_mark(views: tuple[RunView, ...]) -> None:
    shapes = [dot.shape for one in launch_plot(views[0]).lanes for dot in one.dots]
    assert (shapes.count("baseline"), shapes.count("placebo"), shapes.count("arm")) == (4, 4, 4 * 4)


def test_every_arm_is_named_with_its_outcome(views: tuple[RunView, ...]) -> None:
    said = {one.name: one.words for one in launch_plot(views[0]).lanes}
    assert list(said) == ["control", "parallel-4", "kv-q8", "no-op", "one-thread", "v-cache-q8"]
    assert said["v-cache-q8"] == "INVALID: start_refused" and said["kv-q8"].endswith("AMBIGUOUS, text CHANGED")
    refused = lane(views[0], "v-cache-q8")
    assert (refused.crosses, refused.missing, refused.drawn) == ("××××", "4 launches without a number", False)
    assert {one.speed for one in launch_plot(views[0]).lanes} == {
        "control", "FASTER", "AMBIGUOUS", "SAME", "SLOWER", "none",
    }  # fmt: skip


def test_places_are_linear_in_the_measured_change(views: tuple[RunView, ...]) -> None:
    drawn, on = lane(views[0], "parallel-4"), Extent(-50.0, 150.0)
    assert [place(on, value) for value in (-50, 0, 150)] == ["0.00", "25.00", "100.00"]
    changes = sorted(point.change_pct or 0 for point in views[0].points if point.name == "parallel-4")
    places = sorted(float(dot.x) for dot in drawn.dots)
    slope = (places[-1] - places[0]) / (changes[-1] - changes[0])
    for (low, high), (left, right) in zip(pairwise(changes), pairwise(places), strict=True):
        assert right - left == pytest.approx(slope * (high - low), abs=0.02)


def test_interval_effect_lines_and_placebo_band_share_the_axis(views: tuple[RunView, ...]) -> None:
    drawn = launch_plot(views[0])
    verdict = views[0].primary[0].payload
    assert verdict.interval and drawn.band and drawn.effects
    left, right = map(float, drawn.effects)
    assert float(drawn.zero) == pytest.approx((left + right) / 2, abs=0.02)
    per_percent = (right - left) / 20
    bar = lane(views[0], "parallel-4").bar
    assert bar is not None
    assert float(bar.high) - float(bar.low) == pytest.approx(
        per_percent * (verdict.interval.high_pct - verdict.interval.low_pct), abs=0.03
    )


@pytest.mark.parametrize(
    ("low", "high", "labels"),
    [
        (-27.0, 62.0, ["−20", "0", "+20", "+40", "+60"]),
        (-1.2, 1.3, ["−1.0", "−0.5", "0", "+0.5", "+1.0"]),
        (-0.04, 0.05, ["−0.04", "−0.02", "0", "+0.02", "+0.04"]),
        (-300.0, 900.0, ["0", "+500"]),
    ],
)
def test_labels_are_round_and_never_cut(low: float, high: float, labels: list[str]) -> None:
    found = ticks(Extent(low, high))
    assert [tick.text for tick in found] == labels
    for tick in found:
        assert tick.anchor == ("start" if float(tick.x) < 6 else "end" if float(tick.x) > 94 else "middle")


def test_a_void_run_and_a_run_without_launches_can_be_drawn(views: tuple[RunView, ...]) -> None:
    assert lane(views[1], "ubatch-1024").words == "run void"
    bare = replace(views[0], verdicts=())
    bare.__dict__["launched"] = Launched((), 0)
    assert launch_plot(bare).lanes[0].name == "control" and not launch_plot(bare).lanes[0].drawn


def test_a_boast_does_not_squeeze_what_was_measured(views: tuple[RunView, ...]) -> None:
    verdict = views[0].primary[0].payload
    modest = Interval("modest", verdict, "+46 %", (10.0, 60.0))
    boast = replace(modest, name="boast", claimed=(0.0, 100_000.0))
    drawn = interval_plot([modest, boast], Phrase("change"), Phrase("change"))
    assert drawn.lanes[1].claimed is not None and drawn.lanes[0].bar is not None
    assert float(drawn.lanes[0].bar.high) - float(drawn.lanes[0].bar.low) > 5
    assert around([0.0, 200.0]).high_pct == pytest.approx(212.0)
