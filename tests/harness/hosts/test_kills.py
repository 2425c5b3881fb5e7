"""Kill -9 of anybody at any point of a launch: production is back, nothing else is left, no other file has changed."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from harness import procfs
from harness.hosts.local import GuardianError
from tests.harness.hosts.stages import Reached, Stage, reach
from tests.harness.hosts.yard import WAIT_S, Yard, kill, opened, started, until, with_production

PROJECT = Path(__file__).resolve().parents[3]
WITH_ARM = (Stage.ARM_STARTING, Stage.ARM_READY, Stage.ARM_STOPPING)
STILL_UP = (Stage.IDLE, Stage.BEGUN, Stage.COMING_BACK)  # where a production process runs


def start_flags(stage: Stage) -> tuple[str, ...]:
    """Production starts slowly enough to be caught at it, where that is the point."""
    return ("--start-s", "0.3") if stage is Stage.COMING_BACK else ()


@asynccontextmanager
async def harness_at(yard: Yard, stage: Stage) -> AsyncIterator[asyncio.subprocess.Process]:
    """A harness in a process of its own that has reached the stage; gone at the end."""
    harness = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.harness.hosts.stages", str(yard.root), stage),
        cwd=PROJECT,
        stdout=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    try:
        assert harness.stdout is not None
        async with asyncio.timeout(WAIT_S):
            assert await harness.stdout.readline() == b"THERE\n"
        yield harness
    finally:
        if harness.returncode is None:
            harness.kill()
        await harness.wait()


async def settled(reached: Reached) -> None:
    """The call that was under way has ended, one way or the other."""
    if reached.pending:
        await asyncio.wait([reached.pending], timeout=WAIT_S)
        assert reached.pending.done()
        if error := reached.pending.exception():
            assert isinstance(error, GuardianError)


@pytest.mark.parametrize("stage", Stage)
async def test_harness_killed_the_guardian_brings_production_back(yard: Yard, stage: Stage) -> None:
    before = yard.files()
    await with_production(yard, *start_flags(stage))
    async with harness_at(yard, stage) as harness:
        harness.kill()
        await harness.wait()
        await until(lambda: stage is Stage.IDLE or "harness_lost" in yard.said(), "the loss is noticed")
        await until(lambda: yard.is_up() and len(yard.marked()) == 2, "production is back")
    await yard.assert_production_is_back()
    assert yard.files() == before


@pytest.mark.parametrize("stage", Stage)
async def test_guardian_killed_the_harness_opens_again(yard: Yard, stage: Stage) -> None:
    before = yard.files()
    await with_production(yard, *start_flags(stage))
    async with opened(yard) as host:
        reached = await reach(host, yard, stage)
        kill(*yard.guardian())
        await settled(reached)
        with pytest.raises(GuardianError, match="open the host again"):
            await host.bring_back()
    async with opened(yard) as host:
        started(await host.bring_back())
        await yard.assert_production_is_back()
        assert yard.files() == before


@pytest.mark.parametrize("stage", Stage)
async def test_both_killed_restore_brings_production_back(yard: Yard, stage: Stage) -> None:
    before = yard.files()
    await with_production(yard, *start_flags(stage))
    async with harness_at(yard, stage) as harness:
        os.kill(yard.guardian()[0], signal.SIGSTOP)  # so that it cannot act on the loss of the harness
        harness.kill()
        await harness.wait()
        kill(*yard.guardian())
        outcome = await yard.restore()
        assert outcome.up, outcome
        assert outcome.held is not None
        did = "was already running" if stage in STILL_UP else "is back"
        assert outcome.sentence.startswith(f"Production {did}: pid {outcome.held.pid} at http://127.0.0.1:")
        again = await yard.restore()
        assert again.sentence.startswith("Production was already running")
        assert again.held == outcome.held
    await yard.assert_production_is_back()
    assert yard.files() == before


@pytest.mark.parametrize("victim", ["arm", "worker"])
@pytest.mark.parametrize("stage", WITH_ARM)
async def test_arm_or_worker_killed_the_harness_stops_it_whole(yard: Yard, stage: Stage, victim: str) -> None:
    before = yard.files()
    await with_production(yard, *start_flags(stage))
    async with opened(yard) as host:
        reached = await reach(host, yard, stage)
        arm = reached.arm
        assert arm is not None
        tree = await host.pids(arm)
        pid = arm.pid if victim == "arm" else tree[1]
        kill(pid, procfs.start_time(pid))
        await settled(reached)
        await host.stop(arm, 0.3)
        assert not yard.marked()
        started(await host.bring_back())
        await host.end()
        await yard.assert_production_is_back()
        assert yard.files() == before


@pytest.mark.parametrize("stage", STILL_UP)
async def test_production_killed_the_guardian_starts_it_again(yard: Yard, stage: Stage) -> None:
    before = yard.files()
    await with_production(yard, *start_flags(stage))
    async with opened(yard) as host:
        reached = await reach(host, yard, stage)
        first = (await host.production()).held
        assert first is not None
        kill(first.pid, first.start_time)
        await until(lambda: yard.record()["held"] not in (None, first) and yard.is_up(), "production is back")
        if reached.pending:
            assert started(await reached.pending).pid == yard.record()["held"]["pid"]
        assert yard.record()["held"]["pid"] != first.pid
        await yard.assert_production_is_back()
        assert yard.files() == before


async def test_ctrl_c_to_the_group_of_the_harness_reaches_no_server(yard: Yard) -> None:
    production = await with_production(yard)
    async with harness_at(yard, Stage.BEGUN) as harness:
        os.killpg(harness.pid, signal.SIGINT)
        await harness.wait()
    await until(lambda: "harness_lost" in yard.said(), "the loss is noticed")
    assert yard.record()["held"]["pid"] == production.pid
    await yard.assert_production_is_back()


async def test_a_stuck_harness_is_lost_when_its_heartbeat_stops(yard: Yard) -> None:
    await with_production(yard)
    async with opened(yard) as host:
        await host.begin("run-1", heartbeat_timeout_s=0.3)  # beats come each second
        await host.take_down()
        await until(lambda: "harness_lost" in yard.said() and yard.is_up(), "production is back")
        with pytest.raises(GuardianError, match="the guardian is gone"):
            await host.end()
    assert [line["detail"] for line in yard.journal() if line["what"] == "harness_lost"] == [
        "run run-1: no heartbeat for 0.3 s"
    ]
    await yard.assert_production_is_back()


async def test_a_heartbeat_that_is_answered_late_is_followed_by_others(
    yard: Yard, monkeypatch: pytest.MonkeyPatch
) -> None:
    await with_production(yard)
    async with opened(yard) as host:
        monkeypatch.setattr("harness.hosts.host.HEARTBEAT_S", 0.05)
        monkeypatch.setattr("harness.hosts.host.QUERY_TIMEOUT_S", 0.1)
        await host.begin("run-1", heartbeat_timeout_s=3.0)
        pid, _ = yard.guardian()
        os.kill(pid, signal.SIGSTOP)
        await asyncio.sleep(0.5)  # a loaded machine: several heartbeats have had no answer in time
        os.kill(pid, signal.SIGCONT)
        await asyncio.sleep(3.5)  # longer than the guardian waits for a harness that says nothing
        assert "harness_lost" not in yard.said()
        await host.end()


async def test_closing_within_a_run_counts_as_lost(yard: Yard) -> None:
    await with_production(yard)
    host = await yard.open()
    await reach(host, yard, Stage.ARM_READY)
    await host.close()
    await until(lambda: yard.is_up() and len(yard.marked()) == 2, "production is back")
    await yard.assert_production_is_back()
