"""A plan is made once; the same order finds it again, and no other order goes on under its run."""

from pathlib import Path
from typing import Any

import pytest

from harness.vocabulary.base import BadFileError
from harness.vocabulary.target import OtherHost
from harness.workflow.design import plan_in_words
from harness.workflow.order import Order
from harness.workflow.plan import commit_plan, make_plan
from ledger.canonical import sha256_hex
from ledger.entries import Arm, MeasuringRun
from ledger.store import Ledger
from tests.harness.workflow.bench_yard import FAST, REFUSED, BenchYard


def with_flag(order: Order, **flags: Any) -> Order:
    baseline = order.target.baseline.model_copy(update={"flags": {**order.target.baseline.flags, **flags}})
    return order.model_copy(update={"target": order.target.model_copy(update={"baseline": baseline})})


def test_the_same_order_finds_its_plan_and_writes_nothing(tmp_path: Path) -> None:
    yard = BenchYard(tmp_path)
    (tmp_path / "order.json").write_text(yard.order(FAST, REFUSED).to_json())
    with yard.ledger() as ledger:
        plan = commit_plan(ledger, yard.order(FAST, REFUSED))
        assert commit_plan(ledger, Order.from_json(tmp_path / "order.json")) == plan
        assert commit_plan(ledger, yard.order(REFUSED, FAST)) == plan
        assert len(ledger.of(MeasuringRun)) == 1 and len(ledger.of(Arm)) == 2


def test_a_plan_names_the_target_that_is_launched(tmp_path: Path) -> None:
    yard = BenchYard(tmp_path)
    order = yard.order()
    with yard.ledger() as ledger:
        plan = commit_plan(ledger, order)
    assert plan.target_model_sha256 == sha256_hex(order.target.model_dump_json(by_alias=True).encode())
    assert plan.target_sha256 == "0" * 64


def test_private_values_are_in_no_hash_and_a_run_planned_with_them_goes_on(tmp_path: Path) -> None:
    yard = BenchYard(tmp_path)

    def with_token(token: str, name: str = "HF_TOKEN", **more: str) -> Order:
        order = yard.order()
        env = {"env": {name: token, **more}, "private": ("HF_TOKEN",)}
        baseline = order.target.baseline.model_copy(update=env)
        return order.model_copy(update={"target": order.target.model_copy(update={"baseline": baseline})})

    first, rotated = with_token("hunter2"), with_token("hunter3")
    assert make_plan(first).target_model_sha256 == make_plan(rotated).target_model_sha256
    others = (with_token("hunter2", "OTHER"), with_token("hunter2", MODE="x"), with_token("hunter2", MODE="y"))
    assert len({make_plan(order).target_model_sha256 for order in (first, *others)}) == 4
    before = make_plan(first).model_copy(
        update={"target_model_sha256": sha256_hex(first.target.model_dump_json(by_alias=True).encode())}
    )
    with Ledger.open(tmp_path / "there.db", actor="test", create=True) as there:
        commit_plan(there, first)
        arms = [arm for _, arm in there.of(Arm)]
    with yard.ledger() as ledger:  # planned by an earlier version, whose hash held the value
        ledger.append_all([before, *arms])
        assert commit_plan(ledger, first) == before
        with pytest.raises(BadFileError, match="was planned with another baseline than"):
            commit_plan(ledger, rotated)


def test_another_order_under_the_same_run_is_refused_with_what_differs(tmp_path: Path) -> None:
    yard = BenchYard(tmp_path)
    first = yard.order(FAST)
    others = {
        "target file": first.model_copy(update={"target_sha256": "f" * 64}),
        "target": first.model_copy(update={"target": first.target.model_copy(update={"name": "other"})}),
        "baseline": with_flag(first, mode="degenerate"),
        "criteria": yard.order(FAST, ladder={"steps": [2, 1], "tokens": 24, "request_timeout_s": 10}),
        "number of blocks": yard.order(FAST, blocks=3),
        "set of arms": yard.order(FAST, REFUSED),
        "seed": first.model_copy(update={"seed": 4}),
        "proposal": first.model_copy(update={"proposal": "0001-x"}),
        "revision": first.model_copy(update={"tree": "a" * 40}),
        "name or witness of an arm": yard.order({**FAST, "witness": []}),
    }
    with yard.ledger() as ledger:
        commit_plan(ledger, first)
        head = ledger.head()
        for what, other in others.items():
            with pytest.raises(
                BadFileError, match=f"run measure-test-000001 was planned with another .*{what}"
            ) as said:
                commit_plan(ledger, other)
            assert "order a new run" in str(said.value)
        assert ledger.head() == head


async def test_a_run_under_another_order_ends_before_anything_is_touched(tmp_path: Path) -> None:
    yard = BenchYard(tmp_path)
    with yard.ledger() as ledger:
        commit_plan(ledger, yard.order())
        head = ledger.head()
        with pytest.raises(BadFileError, match="was planned with another baseline than this order's"):
            await yard.measurement(with_flag(yard.order(), mode="degenerate"), ledger, []).run()
        assert ledger.head() == head
        assert not (yard.place / "guardian.json").exists()


def test_a_plan_says_that_requests_go_through_an_ssh_connection(tmp_path: Path) -> None:
    order = BenchYard(tmp_path).order()
    assert make_plan(order).tunnel is None
    there = order.model_copy(update={"target": order.target.model_copy(update={"host": OtherHost(ssh="gpu1")})})
    assert make_plan(there).tunnel == "gpu1"
    assert plan_in_words(there, make_plan(there)).endswith(
        "; requests go through the ssh connection to 'gpu1' and times include it"
    )
