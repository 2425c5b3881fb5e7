"""What the plot shows, before anything is drawn."""

from dataclasses import replace

import pytest

from committee.report.plot_rows import describe, extent, numbered, placebo_band, rows
from committee.report.points import Launched
from committee.report.runs import RunView
from ledger.entries import Verdict
from tests.committee.report.sample import fingerprint


def test_control_first_then_arms_by_measured_change_then_those_without_a_number(views: tuple[RunView, ...]) -> None:
    shown = rows(views[0])
    assert [row.name for row in shown] == ["control", "parallel-4", "kv-q8", "no-op", "one-thread", "v-cache-q8"]
    assert [len(numbered(row)) for row in shown] == [8, 4, 4, 4, 4, 0]
    assert shown[1].words.startswith("+4")
    assert shown[1].words.endswith("FASTER")
    assert shown[2].words.endswith("AMBIGUOUS, text CHANGED")
    assert shown[5].words == "INVALID: start_refused"


def test_the_axis_holds_every_launch_interval_and_threshold(views: tuple[RunView, ...]) -> None:
    shown = rows(views[0])
    span = extent(views[0], shown)
    changes = [point.change_pct for row in shown for point in numbered(row)]
    bounds = [bound for row in shown if row.verdict and row.verdict.interval for bound in ends(row.verdict)]
    assert span.low_pct < min(*changes, *bounds, -10.0)
    assert span.high_pct > max(*changes, *bounds, 10.0)


def ends(verdict: Verdict) -> tuple[float, float]:
    """Both bounds of a verdict that has an interval."""
    assert verdict.interval is not None
    return verdict.interval.low_pct, verdict.interval.high_pct


def test_a_missing_proof_takes_the_number_out_of_the_plot_too(views: tuple[RunView, ...]) -> None:
    knobs = views[0]
    unproven = {"validity": "NOT_SHOWN_ENGAGED", "speed": None, "interval": None, "reasons": ["not_engaged: no line"]}
    verdicts = tuple(
        replace(item, payload=Verdict.model_validate({**item.payload.as_json(), **unproven}))
        if item.payload.arm == fingerprint("parallel-4") and item.payload.primary
        else item
        for item in knobs.verdicts
    )
    row = next(row for row in rows(replace(knobs, verdicts=verdicts)) if row.name == "parallel-4")
    assert (numbered(row), row.words, len(row.points)) == ([], "NOT_SHOWN_ENGAGED", 4)


def test_a_void_run_shows_its_launches_without_a_verdict(views: tuple[RunView, ...]) -> None:
    control, arm = rows(views[1])
    assert (len(numbered(control)), len(numbered(arm)), arm.words, arm.verdict) == (8, 4, "run void", None)


def test_a_run_in_progress_shows_its_launches_without_a_verdict(views: tuple[RunView, ...]) -> None:
    running = replace(views[0], ended=None, verdicts=())
    assert rows(running)[1].words == "no verdict"
    assert placebo_band(running) is None


def test_the_placebo_band_is_the_recorded_one(views: tuple[RunView, ...]) -> None:
    verdict = views[0].primary[0].payload
    assert placebo_band(views[0]) == (verdict.placebo_low_pct, verdict.placebo_high_pct)


def test_the_description_says_every_arm_and_number(views: tuple[RunView, ...]) -> None:
    said = describe(views[0])
    assert said.startswith("Every launch of total rate at 4 users, change against the block's control. parallel-4: +4")
    assert said.endswith("v-cache-q8: INVALID: start_refused")


def test_an_axis_without_any_number_still_has_a_width(views: tuple[RunView, ...]) -> None:
    bare = replace(views[0], verdicts=())
    bare.__dict__["launched"] = Launched((), 0)
    span = extent(bare, rows(bare))
    assert span.high_pct - span.low_pct == pytest.approx(20 * 1.12)
