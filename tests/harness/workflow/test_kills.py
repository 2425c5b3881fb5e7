"""`harness measure` as a real process, and kill -9 of anybody at every step of it: production comes back, and the same
order goes on to its verdicts."""

import asyncio
import random
import signal
from collections.abc import Callable, Iterable
from contextlib import AbstractAsyncContextManager
from enum import StrEnum
from pathlib import Path

import pytest

from harness import procfs
from ledger.entries import Launch, RunEnd
from tests.harness.workflow.bench_yard import FAST
from tests.harness.workflow.kill_yard import (
    CRITERIA,
    RUN,
    KillYard,
    concluded,
    kill,
    kill_guardian,
    kill_yard,
    kill_yard_over_ssh,
    told,
    until,
)

Made = AbstractAsyncContextManager[KillYard]
ROUNDS = 10
SEED = 20261129  # fixed, so that a failure can be looked at again


class Stage(StrEnum):
    """The steps of a run, in their order."""

    PLANNED = "lease taken and plan committed"
    TAKING_DOWN = "production being taken down"
    DOWN = "production down"
    STARTING = "launch starting"
    READY = "ready"
    ARMED = "armed"
    LOADING = "loading"
    STOPPING = "stopping"
    FREE = "free"
    BETWEEN_BLOCKS = "between blocks"
    COMING_BACK = "bringing production back"
    BACK = "production back"
    ENDED = "verdicts written"


# How a step shows itself in the progress file: the beginning of an event, and which of its kind it is.
SIGNS = {
    Stage.PLANNED: ("plan", 1),
    Stage.TAKING_DOWN: ("production production is taken down", 1),
    Stage.DOWN: ("launch block", 1),
    Stage.STARTING: ("phase starting", 2),
    Stage.READY: ("phase ready", 2),
    Stage.ARMED: ("phase armed", 2),
    Stage.LOADING: ("phase loading", 2),
    Stage.STOPPING: ("phase stopping", 2),
    Stage.FREE: ("phase free", 2),
    Stage.BETWEEN_BLOCKS: ("launch_done", 3),
    Stage.COMING_BACK: ("production bringing production back", 1),
    Stage.BACK: ("production production is up", 1),
    Stage.ENDED: ("end", 1),
}


class Victim(StrEnum):
    """Who is killed."""

    HARNESS = "harness"
    GUARDIAN = "guardian"
    SERVER = "server"  # of the launch
    WORKER = "worker"  # one process of that server
    PRODUCTION = "production"
    BOTH = "harness and guardian"
    CONNECTION = "ssh connection"


WITH_SERVER = (Stage.STARTING, Stage.READY, Stage.ARMED, Stage.LOADING, Stage.STOPPING)
WITH_PRODUCTION = (Stage.PLANNED, Stage.TAKING_DOWN, Stage.COMING_BACK, Stage.BACK, Stage.ENDED)
BOTH_OVER_SSH = (Stage.DOWN, Stage.LOADING, Stage.COMING_BACK)  # the connection's end is the harness's; three show it
LOCAL = [victim for victim in Victim if victim is not Victim.CONNECTION]
FEW = ((Victim.HARNESS, Stage.LOADING), (Victim.BOTH, Stage.DOWN))  # in every test run; the matrix takes longer


def victims(stage: Stage) -> list[Victim]:
    """Who runs at that step."""
    at = {
        Victim.SERVER: WITH_SERVER,
        Victim.WORKER: WITH_SERVER,
        Victim.PRODUCTION: WITH_PRODUCTION,
        Victim.CONNECTION: (),
    }
    return [victim for victim in Victim if stage in at.get(victim, tuple(Stage))]


async def strike(yard: KillYard, victim: Victim, harness: asyncio.subprocess.Process) -> None:
    """Kill -9; where there is nobody to kill any more, nothing happens."""
    if victim is Victim.BOTH:
        kill_guardian(yard.place, signal.SIGSTOP)  # so that it cannot act on the loss of the harness
    if victim in (Victim.HARNESS, Victim.BOTH) and harness.returncode is None:
        harness.kill()
        await harness.wait()
    if victim in (Victim.GUARDIAN, Victim.BOTH):
        kill_guardian(yard.place)
    if victim in (Victim.SERVER, Victim.WORKER):
        await until(lambda: bool(yard.record()["others"]) or harness.returncode is not None, "a launch's server runs")
        for held in yard.record()["others"]:
            tree = procfs.members("none", bool, {held["pid"]: held["start_time"]})
            for pid, started in tree.items():
                if (pid == held["pid"]) is (victim is Victim.SERVER):
                    kill(pid, started)
    if victim is Victim.CONNECTION and yard.sshd is not None:
        yard.sshd.cut()
    if victim is Victim.PRODUCTION:
        for pid, started in yard.marked(lambda label: label == "production").items():
            kill(pid, started)


async def survives(yard: KillYard, victim: Victim, stage: Stage) -> None:
    """The kill, what follows from it, and the same order to its end."""
    before, order = yard.files(), yard.write_order(FAST, CRITERIA)
    async with yard.measuring(order) as harness:
        await until(told(yard, *SIGNS[stage]), stage)
        await strike(yard, victim, harness)
        said = await yard.ended(harness)
    if victim is Victim.BOTH:
        restored = await yard.harness("restore", "small")
        assert restored.code == 0, restored
    await yard.until_back()
    await yard.assert_production_is_back()
    if stage is Stage.LOADING or (victim, stage) in FEW:
        attested = await yard.harness("attest", "small", "--json")
        assert attested.code == 0, attested
    assert yard.files() == before
    yard.assert_ledger_verifies()
    assert "Traceback" not in said.words, said
    await yard.finish(order, again=(victim, stage) in FEW)
    assert yard.files() == before


async def all_survive(
    root: Path, cases: Iterable[tuple[Victim, Stage]], made: Callable[[Path], Made] = kill_yard
) -> None:
    """Each case in a workspace of its own, at the same time: they wait more than they compute."""

    async def one(victim: Victim, stage: Stage) -> None:
        try:
            async with made(root / f"{victim.name}-{stage.name}".lower()) as yard:
                await survives(yard, victim, stage)
        except BaseException as error:
            error.add_note(f"killed: {victim}, at: {stage}")
            raise

    await asyncio.gather(*(one(victim, stage) for victim, stage in cases))


async def test_production_comes_back_and_the_order_goes_on(tmp_path: Path) -> None:
    await all_survive(tmp_path, FEW)


@pytest.mark.system
@pytest.mark.parametrize("stage", Stage)
async def test_whoever_is_killed_at_whatever_step(tmp_path: Path, stage: Stage) -> None:
    await all_survive(tmp_path, [(victim, stage) for victim in victims(stage)])


@pytest.mark.system
@pytest.mark.parametrize("stage", Stage)
async def test_whoever_is_killed_at_whatever_step_over_ssh(tmp_path: Path, stage: Stage) -> None:
    here = [victim for victim in victims(stage) if victim is not Victim.BOTH or stage in BOTH_OVER_SSH]
    await all_survive(tmp_path, [(victim, stage) for victim in (*here, Victim.CONNECTION)], kill_yard_over_ssh)


@pytest.mark.system
async def test_a_stopped_harness_is_lost_and_measures_its_block_again_when_it_goes_on(tmp_path: Path) -> None:
    async with kill_yard(tmp_path) as yard:
        before, order = yard.files(), yard.write_order(FAST, CRITERIA)
        async with yard.measuring(order) as harness:
            await until(told(yard, *SIGNS[Stage.LOADING]), "the second launch is under load")
            harness.send_signal(signal.SIGSTOP)
            await until(lambda: "harness_lost" in yard.journal(), "the heartbeat is missed")
            await yard.until_back()
            await yard.assert_production_is_back()
            other = yard.write_order(FAST, CRITERIA, "measure-kill-000002")
            refused = await yard.harness("measure", "--order", str(other), "--take-over", "--yes")
            assert refused.code == 1 and f"for run '{RUN}'; wait until it ends" in refused.words, refused
            harness.send_signal(signal.SIGCONT)
            await until(lambda: never_two(yard) and harness.returncode is not None, "the run goes on to its end")
            said = await yard.ended(harness)
        assert concluded(said), said
        assert sum(event.startswith("block_broken") for event in yard.events()) == 1
        await yard.until_back()
        await yard.assert_production_is_back()
        assert yard.files() == before
        with yard.ledger() as ledger:
            assert {(x.block, x.attempt) for _, x in ledger.of(Launch)} == {(0, 1), (0, 2), (1, 1)}
        yard.assert_ledger_verifies()


def never_two(yard: KillYard) -> bool:
    """True; fails the test if a launch's server runs beside production."""
    launched = yard.marked(lambda label: label.startswith("measure-"))
    production = yard.marked(lambda label: label == "production")
    both = {pid: procfs.stat(pid) for pid in (*launched, *production)}
    assert not (launched and production and all(found and found.runs for found in both.values())), both
    return True


@pytest.mark.system
async def test_the_lease_of_a_killed_harness_is_explained_and_taken_over_on_request(tmp_path: Path) -> None:
    async with kill_yard(tmp_path) as yard:
        first, second = (yard.write_order(FAST, CRITERIA, run) for run in (RUN, "measure-kill-000002"))
        async with yard.measuring(first) as harness:
            await until(told(yard, *SIGNS[Stage.LOADING]), "the second launch is under load")
            harness.kill()
        refused = await yard.harness("measure", "--order", str(second), "--yes")
        assert refused.code == 1 and f"for run '{RUN}' is stale" in refused.words, refused
        async with yard.measuring(second, "--take-over") as harness:
            assert (await yard.ended(harness)).code in (0, 1)
        await yard.finish(first)
        await yard.finish(second, "measure-kill-000002")


@pytest.mark.system
async def test_a_persons_commands_wait_for_a_measurement(tmp_path: Path) -> None:
    async with kill_yard(tmp_path) as yard:
        again = await yard.harness("start", "small")  # it is up: nothing changes
        pid = yard.record()["held"]["pid"]
        assert again.code == 0 and f"small is up: pid {pid}," in again.words, again
        async with yard.measuring(yard.write_order(FAST, CRITERIA | {"blocks": 5})) as harness:
            await until(told(yard, *SIGNS[Stage.READY]), "the second launch is ready")
            for refused in await asyncio.gather(
                *(yard.harness(word, "small") for word in ("stop", "start", "restore"))
            ):
                assert refused.code == 1 and "Traceback" not in refused.words, refused
                assert "being measured" in refused.words and RUN in refused.words, refused
                assert never_two(yard)
            said = await yard.ended(harness)
        assert concluded(said), said
        await yard.until_back()
        await yard.assert_production_is_back()


@pytest.mark.system
async def test_runs_survive_kills_at_random_moments(tmp_path: Path) -> None:
    chance = random.Random(SEED)  # noqa: S311 - moments, not secrets
    async with kill_yard(tmp_path) as yard:
        before, run = yard.files(), RUN
        for number in range(ROUNDS):
            victim, delay_s = chance.choice(LOCAL), chance.uniform(0.5, 6.0)
            async with yard.measuring(yard.write_order(FAST, CRITERIA, run)) as harness:
                await asyncio.sleep(delay_s)  # the moment itself is what is tested
                await strike(yard, victim, harness)
                said = await yard.ended(harness)
            where = f"round {number}: {victim} after {delay_s:.3f} s; {yard.events()[-3:]}; {said}"
            assert "Traceback" not in said.words, where
            if victim is Victim.BOTH:
                assert (await yard.harness("restore", "small")).code == 0, where
            await yard.until_back()
            await yard.assert_production_is_back()
            yard.assert_ledger_verifies()
            with yard.ledger() as ledger:
                run = f"measure-kill-{number + 2:06d}" if ledger.of(RunEnd, run=run) else run
        await yard.finish(yard.write_order(FAST, CRITERIA, run), run)
        assert yard.files() == before
