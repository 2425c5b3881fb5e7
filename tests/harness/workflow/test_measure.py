"""A measuring run from order to verdicts on real processes: good, refused, stopped, resumed, guardian killed."""

import asyncio
import json
import os
import signal
import socket
import sys
from pathlib import Path
from typing import Any

import pytest

from harness.hosts.base import Held
from harness.hosts.local import LocalHost
from harness.hosts.onlooker import Onlooker
from harness.lease import Lease
from harness.vocabulary.outcome import Reason
from harness.vocabulary.target import Quiet
from harness.workflow.attest import attest
from harness.workflow.conclude import Conclusion, judge
from harness.workflow.events import MeasureEvent
from harness.workflow.measure import NotMeasured
from harness.workflow.production import production_spec
from harness.workflow.proof import prove_production
from ledger.entries import MeasuringRun, RunEnd, TargetState, Verdict
from tests.harness.workflow.bench_yard import FAST, REFUSED, BenchYard, launches, until


async def test_a_run_ends_in_verdicts_and_production_is_back(tmp_path: Path) -> None:
    yard, events = BenchYard(tmp_path), list[MeasureEvent]()
    async with yard.production() as host:
        before = (await host.production()).held
        with yard.ledger() as ledger:
            outcome = await yard.measurement(yard.order(FAST, REFUSED), ledger, events).run()
            assert isinstance(outcome, Conclusion)
            assert outcome.verdict.void is None, outcome.verdict.sentence
            after = (await host.production()).held
            assert before is not None and after is not None and before != after
            assert [state.state for _, state in ledger.of(TargetState)] == ["up", "taken_down", "restored"]
            assert sorted(launches(ledger)) == sorted(
                [(block, 1, "ran") for block in (0, 1) for _ in range(3)] + [(0, 1, "invalid"), (1, 1, "invalid")]
            )
            primary = {v.arm_name: v for _, v in ledger.of(Verdict, primary=True)}
            assert primary["refused"].validity == "INVALID" and primary["refused"].interval is None
            assert "ValueError: partition size 2048 is not supported" in " ".join(primary["refused"].reasons)
            fast = primary["fast"]
            assert fast.validity == "VALID" and fast.numerics == "IDENTICAL"
            assert fast.interval is not None and fast.interval.estimate_pct > 20  # +300 % on a quiet machine
            assert [end.outcome for _, end in ledger.of(RunEnd)] == ["completed"]
            (_, plan) = ledger.of(MeasuringRun)[0]
            assert judge(ledger, plan).verdicts == outcome.verdict.verdicts
        seen = await attest(yard.order().target, yard.place)
        assert seen.as_described and seen.pid == after.pid
    assert [event.what for event in events if event.what in ("plan", "end")] == ["plan", "end"]
    assert events[-1].done == events[-1].total == 8


async def test_the_same_order_is_not_measured_twice(tmp_path: Path) -> None:
    yard = BenchYard(tmp_path)
    with yard.ledger() as ledger:
        assert isinstance(await yard.measurement(yard.order(), ledger, []).run(), Conclusion)
        again = await yard.measurement(yard.order(), ledger, []).run()
        assert isinstance(again, NotMeasured) and "ended before" in again.sentence
        assert len(launches(ledger)) == 6
    assert yard.place.stat().st_mode & 0o777 == 0o700, "made by the first measurement, and private variables are in it"


async def test_production_that_was_down_stays_down(tmp_path: Path) -> None:
    yard, events = BenchYard(tmp_path), list[MeasureEvent]()
    with yard.ledger() as ledger:
        assert isinstance(await yard.measurement(yard.order(), ledger, events).run(), Conclusion)
        assert ledger.of(TargetState) == []
    assert (await Onlooker(yard.place).production()).held is None
    assert any(event.text.startswith("production was not running; it is left as found") for event in events)


async def test_a_stop_keeps_finished_blocks_and_the_same_order_goes_on(tmp_path: Path) -> None:
    yard, events = BenchYard(tmp_path), list[MeasureEvent]()
    async with yard.production() as host:
        with yard.ledger() as ledger:
            task = asyncio.ensure_future(yard.measurement(yard.order(), ledger, events).run())
            await until(events, "launch", 5)
            task.cancel()
            stopped = await task
            assert isinstance(stopped, NotMeasured) and stopped.reason is Reason.INTERRUPTED
            assert (await host.production()).held is not None
            assert ledger.of(RunEnd) == []
            assert isinstance(await yard.measurement(yard.order(), ledger, []).run(), Conclusion)
            done = launches(ledger)
            assert [item for item in done if item[0] == 0] == [(0, 1, "ran")] * 3
            assert done.count((1, 2, "ran")) == 3
            # a void run is a verdict on the machine's noise, not on resuming
            assert [end.outcome for _, end in ledger.of(RunEnd)] in (["completed"], ["void"])


async def test_a_killed_guardian_breaks_one_block_and_the_run_goes_on(tmp_path: Path) -> None:
    yard, events = BenchYard(tmp_path), list[MeasureEvent]()
    async with yard.production():
        with yard.ledger() as ledger:
            task = asyncio.ensure_future(yard.measurement(yard.order(), ledger, events).run())
            await until(events, "launch", 2)
            guardian = json.loads((yard.place / "guardian.json").read_text())
            os.kill(guardian["pid"], signal.SIGKILL)
            assert isinstance(await task, Conclusion)
            assert [event.what for event in events].count("block_broken") == 1
            assert {item[:2] for item in launches(ledger)} <= {(0, 1), (0, 2), (1, 1)}
            assert [state.state for _, state in ledger.of(TargetState)][-1] == "restored"
        seen = await attest(yard.order().target, yard.place)
        assert seen.as_described


async def test_a_baseline_that_dies_every_time_means_that_the_input_is_wrong(tmp_path: Path) -> None:
    yard, events = BenchYard(tmp_path), list[MeasureEvent]()
    order = yard.order()
    flags: dict[str, Any] = {**order.target.baseline.flags, "die-after": 4}
    target = order.target.model_copy(update={"baseline": order.target.baseline.model_copy(update={"flags": flags})})
    with yard.ledger() as ledger:
        outcome = await yard.measurement(order.model_copy(update={"target": target}), ledger, events).run()
        assert isinstance(outcome, Conclusion) and outcome.verdict.void is Reason.BASELINE_INVALID
        assert "the input is wrong" in outcome.verdict.sentence
        assert [end.outcome for _, end in ledger.of(RunEnd)] == ["void"]
        (_, verdict) = ledger.of(Verdict, primary=True)[0]
        assert (verdict.validity, verdict.speed, verdict.interval) == ("INPUT_WRONG", None, None)
        assert "engine core died of a test" in " ".join(verdict.reasons)
        assert {launch[1] for launch in launches(ledger)} == {1, 2, 3}


async def test_a_second_measurement_of_the_target_is_refused(tmp_path: Path) -> None:
    yard = BenchYard(tmp_path)
    lease = Lease.take(yard.place, "measure-other-000001")
    assert isinstance(lease, Lease)
    with lease, yard.ledger() as ledger:
        refused = await yard.measurement(yard.order(), ledger, []).run()
        assert isinstance(refused, NotMeasured) and "measure-other-000001" in refused.sentence
        assert ledger.head() is None


async def test_attest_says_what_is_missing(tmp_path: Path) -> None:
    yard = BenchYard(tmp_path)
    seen = await attest(yard.order().target, yard.place)
    assert not seen.as_described and "does not run" in seen.sentence
    assert not (yard.place / "guardian.json").exists()
    async with yard.production() as host:
        assert isinstance(host, LocalHost)
        drifted = yard.order().target.model_copy(update={"armed": ()})
        assert (await attest(drifted, yard.place)).as_described


async def test_a_ready_line_without_an_address_means_the_one_of_the_targets_file(tmp_path: Path) -> None:
    yard = BenchYard(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    own = yard.order().target
    target = own.model_copy(
        update={
            "endpoint": own.endpoint.model_copy(update={"port": port}),
            "ready": own.ready.model_copy(update={"pattern": "WORKER ARMED"}),
        }
    )
    async with yard.production() as host:
        await host.stop_production()
        await host.set_production(production_spec(target, tmp_path))
        held = await host.bring_back()
        assert isinstance(held, Held) and (await host.production()).url is None
        assert await prove_production(host, target) is None
        seen = await attest(target, yard.place)
        assert (seen.as_described, seen.url) == (True, f"http://127.0.0.1:{port}")


async def test_a_limit_that_nobody_can_read_is_said_before_production_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pynvml", None)  # a machine without a card
    yard = BenchYard(tmp_path)
    order = yard.order()
    target = order.target.model_copy(update={"quiet": Quiet(max_card_temperature_c=80)})
    async with yard.production() as host:
        before = (await host.production()).held
        with yard.ledger() as ledger:
            outcome = await yard.measurement(order.model_copy(update={"target": target}), ledger, []).run()
        assert isinstance(outcome, NotMeasured) and outcome.reason is Reason.QUIET_UNREAD
        assert outcome.sentence.startswith("the temperature of cards is limited, and no card was found")
        assert outcome.sentence.endswith("production was not touched")
        assert (await host.production()).held == before
