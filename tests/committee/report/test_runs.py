"""What a run did: launches, controls, broken blocks, levels."""

import math
import random
from dataclasses import replace

import pytest

from committee.report.history import History, read_history
from committee.report.runs import RunView, run_view, run_views
from ledger.entries import Gate, Launch, Metric, RunEnd, Trial, Verdict
from ledger.store import Ledger
from tests.committee.report.sample import (
    KNOBS_RUN,
    REFUSED,
    Effect,
    Measured,
    Plan,
    append_block,
    append_run,
    fingerprint,
    launched,
    measuring_run,
)


def test_a_broken_block_counts_only_by_its_second_try(views: tuple[RunView, ...]) -> None:
    knobs = views[0]
    assert len(knobs.points) == KNOBS_RUN.blocks * (len(KNOBS_RUN.effects) + 2)
    assert knobs.discarded == 2
    assert not any("t1p" in point.launch for point in knobs.points if point.block == KNOBS_RUN.broken_block)


def test_changes_are_against_the_mean_log_of_baseline_and_placebo(views: tuple[RunView, ...]) -> None:
    knobs = views[0]
    for block in range(KNOBS_RUN.blocks):
        here = {point.name: point for point in knobs.points if point.block == block}
        values = {name: point.value for name, point in here.items() if point.value is not None}
        control = math.sqrt(values["baseline"] * values["placebo"])
        assert here["parallel-4"].change_pct == pytest.approx(100 * (values["parallel-4"] / control - 1))
        assert here["baseline"].change_pct == pytest.approx(100 * (values["baseline"] / control - 1))


def test_the_levels_agree_with_the_recorded_estimate(views: tuple[RunView, ...]) -> None:
    knobs = views[0]
    levels = knobs.levels(fingerprint("parallel-4"))
    interval = knobs.primary[0].payload.interval
    assert levels is not None
    assert interval is not None
    assert 100 * (levels[1] / levels[0] - 1) == pytest.approx(interval.estimate_pct)
    assert knobs.levels(fingerprint("v-cache-q8")) is None


def test_verdicts_stand_in_order_of_the_measured_change(views: tuple[RunView, ...]) -> None:
    names = [item.payload.arm_name for item in views[0].primary]
    assert names == ["parallel-4", "kv-q8", "no-op", "one-thread", "v-cache-q8"]
    assert [item.payload.metric for item in views[0].guards(fingerprint("kv-q8"))] == ["user_tok_s"]


def test_a_refused_launch_keeps_the_engines_words_and_no_number(views: tuple[RunView, ...]) -> None:
    refused = [point for point in views[0].points if point.name == "v-cache-q8"]
    assert {(point.value, point.change_pct, point.reason, point.detail) for point in refused} == {
        (None, None, "start_refused", REFUSED)
    }


def test_only_completed_runs_stand(views: tuple[RunView, ...]) -> None:
    assert [view.void for view in views] == [False, True, False, False]
    assert [item.payload.speed for item in views[1].primary] == [None]


def test_only_metrics_that_the_criteria_name_are_guards(views: tuple[RunView, ...]) -> None:
    arm = fingerprint("kv-q8")
    extra = replace(views[0].guards(arm)[0])
    payload = Verdict.model_validate({**extra.payload.as_json(), "metric": "ttft_ms", "speed": "SLOWER"})
    view = replace(views[0], verdicts=(*views[0].verdicts, replace(extra, payload=payload)))
    assert [item.payload.metric for item in view.guards(arm)] == ["user_tok_s"]
    assert [item.payload.metric for item in view.others(arm)] == ["ttft_ms"]
    assert (view.has_others, views[0].has_others) == (True, False)


def test_a_resumed_run_has_its_last_end_and_the_sum_of_its_downtimes(history: History) -> None:
    run, last = history.runs[0], history.ends[0]
    first_launch = history.evidence.launches(run.payload.run)[0]
    stopped = replace(
        last,
        seq=first_launch.seq,
        payload=RunEnd.model_validate({**last.payload.as_json(), "outcome": "stopped", "reason": "interrupted"}),
    )
    resumed = run_view(replace(history, ends=(stopped, last)), run)
    assert (resumed.void, resumed.away_s) == (False, 744.0)
    running = run_view(replace(history, ends=(stopped,)), run)
    assert (running.ended, running.void) == (None, False)


def test_the_last_verdict_on_the_same_thing_counts(history: History) -> None:
    again = replace(history.verdicts[0], seq=10_000)
    view = run_view(replace(history, verdicts=(*history.verdicts, again)), history.runs[0])
    found = [item for item in view.primary if item.payload.arm == again.payload.arm]
    assert [item.seq for item in found] == [10_000]


def test_no_control_no_change(empty: Ledger) -> None:
    plan = Plan(run="measure-nocontrol", proposal=None, effects={"one": Effect(5.0)}, blocks=1)
    empty.append(measuring_run(plan, {0: ["baseline", "placebo", "one"]}))
    append_two_launches(empty, plan)
    view = run_views(read_history(empty))[0]
    assert [(point.name, point.value, point.change_pct) for point in view.points] == [
        ("baseline", 50.0, None),
        (fingerprint("one")[:12], 60.0, None),
    ]


def append_two_launches(ledger: Ledger, plan: Plan) -> None:
    """Baseline and arm ran, the placebo never did."""
    for position, (name, value) in enumerate((("baseline", 50.0), ("one", 60.0))):
        launch = launched(plan, (0, 1, position), name, None)
        ledger.append(launch)
        ledger.append(trial_of(launch, value))


def trial_of(launch: Launch, value: float) -> Trial:
    """A trial with one number."""
    metrics = (Metric(metric="total_tok_s", load=4, value=value, samples=1),)
    return Trial(launch=launch.launch, run=launch.run, protocol="ladder", metrics=metrics, reason=None, detail="")


def test_a_failed_gate_or_trial_gives_the_reason(empty: Ledger) -> None:
    plan = Plan(run="measure-run-gates", proposal=None, effects={"one": Effect()}, blocks=1)
    empty.append(measuring_run(plan, {0: ["baseline", "placebo", "one"]}))
    gated, tried, bare = (launched(plan, (0, 1, place), "one", None) for place in range(3))
    empty.append_all((gated, tried, bare))
    empty.append(
        Gate(launch=gated.launch, run=plan.run, gate="coherent", passed=False, reason="degenerate", evidence="h2h2h2")
    )
    empty.append(
        Trial(launch=tried.launch, run=plan.run, protocol="ladder", metrics=(), reason="request_failed", detail="reset")
    )
    points = run_views(read_history(empty))[0].points
    assert [(point.reason, point.detail) for point in points] == [
        ("degenerate", "h2h2h2"),
        ("request_failed", "reset"),
        ("no_trial", "no trial was recorded for this launch"),
    ]


def test_a_simulator_is_labelled(empty: Ledger) -> None:
    argv = ("python", "-m", "harness.engines.simulator")
    append_run(empty, Plan(run="measure-simulated", proposal=None, effects={"one": Effect(5.0)}, argv=argv))
    assert run_views(read_history(empty))[0].labels == ("simulated server",)


def test_a_run_without_an_end_is_read_too(history: History, views: tuple[RunView, ...]) -> None:
    running = run_view(replace(history, ends=(), verdicts=()), history.runs[0])
    assert (running.ended, running.void, running.verdicts) == (None, False, ())
    assert running.points == views[0].points


def test_a_block_in_progress_has_points(empty: Ledger) -> None:
    plan = Plan(run="measure-halfway", proposal=None, effects={"one": Effect(5.0)}, blocks=2)
    names = ["one", "baseline", "placebo"]
    empty.append(measuring_run(plan, {0: names, 1: names}))
    append_block(empty, plan, (0, 1), names, random.Random(1), Measured())  # noqa: S311 - made-up numbers
    view = run_views(read_history(empty))[0]
    assert [point.change_pct is not None for point in view.points] == [True, True, True]
    assert (view.metric, view.load, view.smallest_effect_pct) == ("total_tok_s", 4, 10.0)
