"""What going on costs is what the dry run of that very run says, and `harness show` and the report say the same."""

from pathlib import Path
from typing import Any

import pytest

from committee.report.next_step import after_verdict
from committee.report.outlook import Outlook
from harness.cli.show import note
from harness.vocabulary.criteria import Criteria
from harness.workflow.dryrun import dry_run
from harness.workflow.going_on import blocks_in_all, new_run_min, no_run_settles, no_use_in_more, planted
from harness.workflow.plan import make_plan
from ledger.entries import Interval, MeasuringRun, Verdict
from tests.harness.workflow.bench_yard import FAST, BenchYard


def ambiguous(plan: MeasuringRun, **changes: Any) -> Verdict:
    """A verdict that seven more blocks would settle."""
    value = {
        "run": plan.run, "target": plan.target, "arm": plan.arms[0], "arm_name": "fast", "metric": "total_tok_s",
        "load": 2, "primary": True, "validity": "VALID", "reasons": (), "speed": "AMBIGUOUS", "numerics": "IDENTICAL",
        "interval": Interval(estimate_pct=4, low_pct=-3, high_pct=11, level=0.05, launch_sd_pct=5, pooled=True,
                             degrees_of_freedom=2),
        "smallest_effect_pct": 10, "blocks": 2, "placebo_low_pct": -1, "placebo_high_pct": 1,
        "visible_effect_pct": 20, "more_blocks": 7, "more_server_minutes": 99.0, "trials": (),
    }  # fmt: skip
    return Verdict.model_validate(value | changes)


@pytest.fixture
def plan(tmp_path: Path) -> MeasuringRun:
    """The plan of one arm in two blocks, for a proposal."""
    order = BenchYard(tmp_path).order().model_copy(update={"proposal": "0001-quicker", "tree": "a" * 40})
    return make_plan(order)


@pytest.mark.parametrize("blocks", [2, 9, 64])
def test_the_minutes_are_those_of_the_dry_run(tmp_path: Path, plan: MeasuringRun, blocks: int) -> None:
    yard = BenchYard(tmp_path)
    planning = yard.order().target.planned
    with yard.ledger() as ledger:
        wanted = dry_run(yard.order(FAST, blocks=blocks), tmp_path, ledger).downtime_s / 60
    assert new_run_min(planning, plan.criteria, blocks) == pytest.approx(wanted)
    assert Outlook({plan.target: planning}).run_min(plan, blocks) == pytest.approx(wanted)


def test_show_and_report_name_the_same_price(tmp_path: Path, plan: MeasuringRun) -> None:
    planning = BenchYard(tmp_path).order().target.planned
    minutes = new_run_min(planning, plan.criteria, 9)
    price = f"a new run of 9, about {minutes:.1f} server minutes"
    verdict = ambiguous(plan)
    assert note(verdict, plan.criteria, planning) == f"7 more blocks would settle it: {price}"
    step = after_verdict(plan, verdict, (), Outlook({plan.target: planning}))
    assert step.words.endswith(f"so in {price}")
    assert step.command == "committee measure 0001-quicker --arm fast --blocks 9"


def test_what_the_budget_does_not_hold_is_not_proposed(tmp_path: Path, plan: MeasuringRun) -> None:
    planning = BenchYard(tmp_path).order().target.planned
    minutes = new_run_min(planning, plan.criteria, 9) or 0.0
    short = Outlook({plan.target: planning}, left_min={"0001-quicker": minutes - 0.05})
    step = after_verdict(plan, ambiguous(plan), (), short)
    assert step.command is None and f"but {minutes - 0.05:.1f} are left of the proposal's budget" in step.words
    enough = Outlook({plan.target: planning}, left_min={"0001-quicker": minutes})
    assert after_verdict(plan, ambiguous(plan), (), enough).command is not None


@pytest.mark.parametrize(("more", "total"), [(198, 200), (199, None), (9_998, None), (None, None)])
def test_more_blocks_than_a_run_may_have_are_never_advised(
    plan: MeasuringRun, more: int | None, total: int | None
) -> None:
    verdict = ambiguous(plan, more_blocks=more)
    step = after_verdict(plan, verdict, ())
    assert blocks_in_all(verdict) == total
    if total is not None:
        assert step.command == f"committee measure 0001-quicker --arm fast --blocks {total}"
        assert Criteria.from_mapping({**plan.criteria, "blocks": total}, "advised").blocks == total
        assert no_run_settles(verdict) is None
        return
    useless = (
        "no number of blocks that a run may have (at most 200) settles it: take a larger smallest effect, a longer"
    )
    assert useless in note(verdict, plan.criteria) and useless in step.words
    assert step.command is None and " more blocks would" not in f"{note(verdict, plan.criteria)} {step.words}"


def test_an_arm_that_was_never_compared_asks_for_a_plan_and_no_more(plan: MeasuringRun) -> None:
    assert blocks_in_all(ambiguous(plan, interval=None, because="screen", more_blocks=200)) == 200


def test_both_say_that_more_blocks_do_not_help_a_changed_text(plan: MeasuringRun) -> None:
    changed = ambiguous(plan, numerics="CHANGED")
    useless = no_use_in_more(plan.criteria, changed)
    assert useless is not None and "more blocks would not help" in useless
    assert note(changed, plan.criteria) == after_verdict(plan, changed, ()).words == useless
    reported = {**plan.criteria, "numerics": {"policy": "report", "reason": "shown"}}
    assert no_use_in_more(reported, changed) is None and "7 more blocks" in note(changed, reported)


def test_planted_controls_are_in_the_price_and_in_the_command(tmp_path: Path, plan: MeasuringRun) -> None:
    criteria = {**plan.criteria, "controls": [{"arm": "no-op", "kind": "no-op"}]}
    assert planted(criteria) == ("no-op",)
    with_control = plan.model_copy(update={"criteria": criteria})
    assert after_verdict(with_control, ambiguous(plan), ()).command == (
        "committee measure 0001-quicker --arm fast --arm no-op --blocks 9"
    )


def test_a_target_that_moved_on_asks_for_a_new_measurement(plan: MeasuringRun) -> None:
    assert not Outlook().moved_on(plan)
    assert not Outlook(target_sha256={plan.target: plan.target_sha256}).moved_on(plan)
    assert Outlook(target_sha256={plan.target: "f" * 64}).moved_on(plan)
