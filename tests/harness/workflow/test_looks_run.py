"""A run with screen, looks, a planted cheat and a budget on real processes, stopped in the middle and gone on with."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from harness.vocabulary.outcome import Reason
from harness.workflow.conclude import Conclusion, judge
from harness.workflow.events import MeasureEvent
from harness.workflow.measure import NotMeasured
from ledger.entries import Launch, MeasuringRun, RunEnd, Verdict
from tests.harness.workflow.bench_yard import FAST, REFUSED, BenchYard, until

ALIKE: dict[str, Any] = {
    "schema": 1,
    "name": "alike",
    "flags": {"token-s": 0.0031},
    "witness": [{"source": "log", "pattern": "token_s = 0.0031"}],
}
DESIGN: dict[str, Any] = {
    "blocks": 4,
    "looks": {"count": 2, "planned_effect_pct": 60},
    "screen": {"keep": 1},
    "controls": [{"arm": "refused", "kind": "cheat"}],
    "budget": {"server_minutes": 30},
}


@pytest.mark.system
async def test_a_run_with_looks_is_stopped_gone_on_with_and_judged_again_alike(tmp_path: Path) -> None:
    yard, events = BenchYard(tmp_path), list[MeasureEvent]()
    order = yard.order(FAST, ALIKE, REFUSED, **DESIGN)
    with yard.ledger() as ledger:
        task = asyncio.ensure_future(yard.measurement(order, ledger, events).run())
        await until(events, "launch", 8)  # the screen has five; the confirmation's first block is under way
        task.cancel()
        stopped = await task
        assert isinstance(stopped, NotMeasured) and stopped.reason is Reason.INTERRUPTED
        outcome = await yard.measurement(order, ledger, events).run()
        assert isinstance(outcome, Conclusion)
        (_, plan) = ledger.of(MeasuringRun)[0]
        assert judge(ledger, plan).verdicts == outcome.verdict.verdicts
        assert plan.screen_blocks == 1 and [look.blocks for look in plan.looks] == [2, 4]
        first = [launch for _, launch in ledger.of(Launch) if launch.block == 0]
        assert [launch.role for launch in first] == ["baseline", "arm", "arm", "arm", "placebo"]
        assert all(launch.took_s is not None and launch.took_s > 0 for launch in first)
        later = {launch.arm for _, launch in ledger.of(Launch) if launch.block > 0} - {None}
        (_, end) = ledger.of(RunEnd)[0]
        assert any(note.startswith("screen: 1 of 2 arms go on") for note in end.notes)
        assert len(later) == 1, "the refused cheat and the arm that the screen left out are not launched again"
        by_name = {verdict.arm_name: verdict for _, verdict in ledger.of(Verdict, primary=True)}
        assert by_name["refused"].validity == "INVALID"
        if outcome.verdict.void is None:  # a noisy minute voids a run by its placebo, not by its looks
            left_out = next(verdict for name, verdict in by_name.items() if verdict.because == "screen")
            assert left_out.speed == "AMBIGUOUS" and left_out.interval is None
        said = next(event.text for event in events if event.what == "plan")
        assert said.startswith("at most 5 blocks, 21 launches")
        assert any(event.what == "look" for event in events)


@pytest.mark.system
async def test_a_cheat_that_is_not_caught_voids_the_run(tmp_path: Path) -> None:
    yard = BenchYard(tmp_path)
    order = yard.order(FAST, ALIKE, controls=[{"arm": "alike", "kind": "cheat"}])
    with yard.ledger() as ledger:
        outcome = await yard.measurement(order, ledger, []).run()
        assert isinstance(outcome, Conclusion)
        assert outcome.verdict.void in (Reason.CONTROL_WRONG, Reason.PLACEBO_DIFFERS)
        assert {verdict.validity for _, verdict in ledger.of(Verdict)} == {"INVALID"}
