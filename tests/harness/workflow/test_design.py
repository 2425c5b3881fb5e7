"""What looks, screen, controls and budget mean in launches, and which orders are refused before anything is touched."""

from pathlib import Path
from typing import Any

import pytest

from harness.vocabulary.base import BadFileError
from harness.workflow.design import looks_of, most_launches, plan_in_words, scheduled, slots_for
from harness.workflow.dryrun import dry_run
from harness.workflow.order import Order
from harness.workflow.plan import commit_plan, expected_downtime_s, make_plan
from harness.workflow.turn import next_turn
from ledger.entries import Launch, MeasuringRun, Payload, Verdict
from tests.harness.workflow.bench_yard import FAST, BenchYard

LOOKS = {"count": 3, "planned_effect_pct": 12}


def many(yard: BenchYard, number: int, **criteria: Any) -> Order:
    """An order of so many arms, named a0, a1, ..."""
    arms = [FAST | {"name": f"a{index}", "flags": {"token-s": 0.001 + index / 10_000}} for index in range(number)]
    return yard.order(*arms, **criteria)


def test_a_fixed_number_of_blocks_is_planned_as_ever(tmp_path: Path) -> None:
    order = many(BenchYard(tmp_path), 2)
    plan = make_plan(order)
    assert (plan.looks, plan.screen_blocks, plan.blocks, len(plan.slots)) == ((), 0, 2, 8)
    assert plan_in_words(order, plan).startswith("2 blocks, 8 launches, about ")


def test_a_screen_and_looks_are_counted_at_their_most(tmp_path: Path) -> None:
    order = many(BenchYard(tmp_path), 5, blocks=4, looks=LOOKS, screen={"keep": 2})
    assert most_launches(order.criteria, 5) == 1 * 7 + 4 * 4
    plan = make_plan(order)
    assert (plan.blocks, plan.screen_blocks) == (5, 1) and [look.blocks for look in plan.looks] == [2, 3, 4]
    assert all(len(look.levels) == 5 for look in plan.looks), "if the screen fails, all five may share the level"
    assert [slot.role for slot in plan.slots[:7]] == ["baseline", *["arm"] * 5, "placebo"]
    said = plan_in_words(order, plan)
    assert said.startswith("at most 5 blocks, 23 launches") and "keeps 2; looks after 2, 3, 4 blocks" in said
    assert plan.downtime_s == pytest.approx(expected_downtime_s(order))


def test_a_planted_control_shares_no_level_and_passes_the_screen(tmp_path: Path) -> None:
    order = many(BenchYard(tmp_path), 3, controls=[{"arm": "a2", "kind": "no-op"}], screen={"keep": 1})
    (look,) = looks_of(order)
    assert look.levels == (0.05, 0.025) and look.futility is None
    assert most_launches(order.criteria, 3) == 1 * 5 + 2 * 4


@pytest.mark.parametrize(
    ("criteria", "sentence"),
    [
        ({"controls": [{"arm": "ghost", "kind": "cheat"}]}, "plant control 'ghost', which is no arm of this order"),
        ({"controls": [{"arm": "a0", "kind": "no-op"}]}, "every arm of this order is a planted control"),
        ({"budget": {"server_minutes": 0.01}}, "but budget.server_minutes is 0.01"),
    ],
)
def test_an_order_that_does_not_fit_is_refused_before_anything_is_written(
    tmp_path: Path, criteria: dict[str, Any], sentence: str
) -> None:
    yard = BenchYard(tmp_path)
    with yard.ledger() as ledger:
        with pytest.raises(BadFileError, match=sentence):
            commit_plan(ledger, many(yard, 1, **criteria))
        assert ledger.of(MeasuringRun) == []


def test_a_start_that_no_count_could_prove_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    yard = BenchYard(tmp_path)
    order = yard.order(FAST)
    mute = {"baseline": order.target.baseline.model_copy(update={"flags": {"disable_log_stats": True}})}
    hidden = order.model_copy(update={"target": order.target.model_copy(update=mute | {"adapter": "vllm"})})
    with yard.ledger() as ledger:
        with pytest.raises(BadFileError, match=r"fault: with disable-log-stats .* as no_proof .* leave it out"):
            commit_plan(ledger, hidden)
        assert ledger.of(MeasuringRun) == []


def test_a_gate_that_the_engine_could_not_prove_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    yard = BenchYard(tmp_path)
    order = yard.order(FAST)
    blind = order.model_copy(update={"target": order.target.model_copy(update={"adapter": "command"})})
    with yard.ledger() as ledger:
        with pytest.raises(BadFileError, match=r"gates hold isolated, but the adapter 'command' .* out of gates"):
            commit_plan(ledger, blind)
        assert ledger.of(MeasuringRun) == []
        (said,) = dry_run(blind, tmp_path, ledger).rules
        assert said.startswith("fault: gates hold isolated, but the adapter 'command'")


def test_a_plan_with_looks_is_found_again_with_the_levels_it_was_made_with(tmp_path: Path) -> None:
    yard = BenchYard(tmp_path)
    order = many(yard, 1, blocks=4, looks=LOOKS, budget={"server_minutes": 60})
    with yard.ledger() as ledger:
        plan = commit_plan(ledger, order)
        assert commit_plan(ledger, order) == plan
        with pytest.raises(BadFileError, match="another criteria"):
            commit_plan(ledger, many(yard, 1, blocks=4, looks=LOOKS, budget={"server_minutes": 61}))


def test_the_screen_launches_first_what_measured_best_and_then_what_was_fastest(tmp_path: Path) -> None:
    yard = BenchYard(tmp_path)
    order = many(yard, 3, screen={"keep": 1})
    by_name = {item.arm.name: item.arm.fingerprint for item in order.arms}
    with yard.ledger() as ledger:
        ledger.append_all([_verdict(by_name["a1"], 7.5), _launch(by_name["a0"], 900.0), _launch(by_name["a2"], 60.0)])
        assert scheduled(order, ledger) == (by_name["a1"], by_name["a2"], by_name["a0"])
        assert [slot.arm for slot in slots_for(order, ledger)[1:4]] == list(scheduled(order, ledger))


def test_a_turn_after_every_launch_is_the_launch_that_comes_next(tmp_path: Path) -> None:
    """A run may be killed after any entry: what is left to launch follows from the record alone."""
    yard = BenchYard(tmp_path)
    order = many(yard, 2, blocks=4, looks=LOOKS, screen={"keep": 1})
    with yard.ledger() as ledger:
        plan = commit_plan(ledger, order)
        arms = {item.arm.fingerprint: item.arm for item in order.arms}
        done: list[str] = []
        for _ in range(40):
            turn = next_turn(ledger, plan, arms)
            if turn is None:
                break
            slot = turn.slots[0]
            again = next_turn(ledger, plan, arms)
            assert again == turn
            assert turn.done + turn.left <= most_launches(order.criteria, 2)
            for slot in turn.slots:
                ledger.append_all([_failed(plan.run, slot.block, turn.tries + 1, slot.position, slot.role, slot.arm)])
            done.append(f"{turn.block}:{turn.tries}")
            if turn.tries == 2:
                break
        assert done == ["0:0", "0:1", "0:2"], "a block whose controls fail is never whole, so it stays the next one"


def _failed(run: str, block: int, attempt: int, position: int, role: str, arm: str | None) -> Launch:
    return Launch.model_validate(
        {
            "launch": f"{run}.b{block}.t{attempt}.p{position}", "run": run, "target": "small", "block": block,
            "attempt": attempt, "position": position, "role": role, "arm": arm, "argv": (), "env": (), "pid": None,
            "start_time": None, "ready_s": None, "log": None, "outcome": "invalid", "reason": "died", "detail": "x",
        }
    )  # fmt: skip


def _launch(arm: str, took_s: float) -> Payload:
    launch = _failed("measure-earlier-01", 0, 1, int(took_s), "arm", arm)
    return launch.model_copy(update={"took_s": took_s})


def _verdict(arm: str, gain_pct: float) -> Payload:
    interval = {
        "estimate_pct": gain_pct, "low_pct": 0.0, "high_pct": 9.0, "level": 0.01, "launch_sd_pct": 1.0,
        "degrees_of_freedom": 4, "pooled": True,
    }  # fmt: skip
    return Verdict.model_validate(
        {
            "run": "measure-earlier-01", "target": "small", "arm": arm, "arm_name": "a1", "metric": "total_tok_s",
            "load": 2, "primary": True, "validity": "VALID", "reasons": (), "speed": "FASTER", "numerics": "IDENTICAL",
            "interval": interval, "smallest_effect_pct": 10, "blocks": 4, "placebo_low_pct": -1, "placebo_high_pct": 1,
            "visible_effect_pct": 3, "more_blocks": None, "more_server_minutes": None, "trials": (),
        }
    )  # fmt: skip
