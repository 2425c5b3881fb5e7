"""Kills while a real llama.cpp server is under load: the same run survives all of them, one after another."""

import asyncio
import signal
from pathlib import Path

import pytest

from harness.workflow.plan import progress_of
from ledger.entries import Launch, MeasuringRun, RunEnd
from tests.harness.workflow.kill_yard import (
    PROJECT,
    RUN,
    KillYard,
    concluded,
    kill,
    kill_guardian,
    kill_yard,
    told,
    until,
)

TARGET = (PROJECT / "targets" / "local-llamacpp.toml").read_text(encoding="utf-8")
CRITERIA = {
    "schema": 1,
    "blocks": 2,
    "level": 0.05,
    "gates": ["ready", "armed", "isolated", "coherent"],
    "ladder": {"steps": [1, 2, 1], "tokens": 32, "request_timeout_s": 60},
    "primary": {"metric": "total_tok_s", "load": 2, "smallest_effect_pct": 10},
    "numerics": {"policy": "identical"},
}
PARALLEL = {
    "schema": 1,
    "name": "four-sequences",
    "flags": {"n-parallel": 4},
    "witness": [{"source": "props", "path": "total_slots", "equals": 4}],
}
LIMIT_S = 240


@pytest.mark.system
@pytest.mark.alone
async def test_a_real_server_comes_back_after_each_kill_and_the_run_reaches_its_verdicts(tmp_path: Path) -> None:
    async with asyncio.timeout(LIMIT_S), kill_yard(tmp_path, TARGET, "local-llamacpp") as yard:
        before, order = yard.files(), yard.write_order(PARALLEL, CRITERIA)
        await harness_killed(yard, order)
        await guardian_then_both_killed(yard, order)
        await server_killed_and_finished(yard, order)
        assert yard.files() == before
        yard.assert_ledger_verifies()


async def harness_killed(yard: KillYard, order: Path) -> None:
    """The guardian alone brings production back."""
    async with yard.measuring(order) as harness:
        await until(told(yard, "phase loading", 1), "a launch is under load")
        harness.kill()
    await yard.until_back()
    await yard.assert_production_is_back()


async def guardian_then_both_killed(yard: KillYard, order: Path) -> None:
    """The harness goes on over a new guardian; killed with it, nobody is left but `harness restore`."""
    async with yard.measuring(order) as harness:
        await until(told(yard, "phase loading", 1), "a launch is under load")
        kill_guardian(yard.place)
        await until(told(yard, "block_broken", 1), "the block is discarded")
        await until(told(yard, "phase loading", 2), "a launch of the repeated block is under load")
        kill_guardian(yard.place, signal.SIGSTOP)
        harness.kill()
        await harness.wait()
        kill_guardian(yard.place)
    restored = await yard.harness("restore", "local-llamacpp")
    assert restored.code == 0 and "Production is back" in restored.words, restored
    await yard.until_back()
    await yard.assert_production_is_back()


async def server_killed_and_finished(yard: KillYard, order: Path) -> None:
    """A launch without its server carries no number; the run goes on to its end, production is back once more."""
    async with yard.measuring(order) as harness:
        await until(told(yard, "phase loading", 1), "a launch is under load")
        (victim,) = yard.record()["others"]
        kill(victim["pid"], victim["start_time"])
        said = await yard.ended(harness, LIMIT_S)
    assert concluded(said), said
    await yard.until_back()
    await yard.assert_production_is_back()
    with yard.ledger() as ledger:
        died = [launch for _, launch in ledger.of(Launch) if launch.pid == victim["pid"]]
        assert [(launch.outcome, launch.reason) for launch in died] == [("invalid", "died")]
        ((_, plan),) = ledger.of(MeasuringRun)
        assert progress_of(ledger, plan).finished == {0, 1}
        assert len(ledger.of(RunEnd, run=RUN)) == 1
