"""Another baseline into production: kept only through its gates and as attested, else the former one is back."""

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest

from harness.hosts.host import Host
from harness.hosts.onlooker import Onlooker
from harness.lease import Lease
from harness.vocabulary.target import Target
from harness.workflow.accepted_run import RecordedBaseline
from harness.workflow.deploy import Deployed, NewBaseline, NotDeployed, deploy, expected_away_s, which_baseline
from harness.workflow.production import production_spec
from ledger.entries import TargetState
from tests.harness.workflow.bench_yard import BenchYard
from tests.harness.workflow.kill_yard import kill_guardian

STEPS = [
    "production is taken down", "the new baseline is started", "it is up; its gates are checked", "it holds",
    "it is kept",
]  # fmt: skip


def other(yard: BenchYard, **flags: Any) -> Target:
    """The target with other flags in its baseline."""
    target = yard.order().target
    baseline = target.baseline.model_copy(update={"flags": {**target.baseline.flags, **flags}})
    return target.model_copy(update={"baseline": baseline})


async def put(
    yard: BenchYard, target: Target, recorded: RecordedBaseline | None = None, stop_at: str = "never"
) -> tuple[Any, list[str]]:
    """One deployment, and the steps that it told; a person stops it at one of them."""
    told, tasks = list[str](), list[asyncio.Task[Deployed | NotDeployed]]()
    new = NewBaseline("deploy-000001", target, yard.folder, "a" * 64, recorded)

    def tell(said: str) -> None:
        told.append(said)
        if said.endswith(stop_at):
            tasks[0].cancel()

    with yard.ledger() as ledger:
        tasks.append(asyncio.create_task(deploy(new, ledger, tell)))
        return await tasks[0], told


async def argv_of(host: Host) -> tuple[str, ...]:
    """What production was started with, for good."""
    production = await host.production()
    assert production.started_as is not None and production.former is None
    assert production.spec == production.started_as and production.held is not None
    return production.started_as.argv


async def test_a_new_baseline_that_could_not_start_is_not_tried(tmp_path: Path) -> None:
    yard = BenchYard(tmp_path)
    target = yard.order().target
    async with yard.production() as host:
        before = (await host.production()).held
        nowhere = target.baseline.model_copy(update={"command": ("/none/server",)})
        outcome, told = await put(yard, target.model_copy(update={"baseline": nowhere}))
        assert outcome == NotDeployed(outcome.sentence, touched=False) and told == []
        assert "'/none/server' is not there" in outcome.sentence
        assert (await host.production()).held == before


@pytest.mark.system
async def test_nothing_is_tried_where_the_former_baseline_could_not_come_back(tmp_path: Path) -> None:
    yard = BenchYard(tmp_path)
    program, target = tmp_path / "serve", yard.order().target
    program.symlink_to(sys.executable)
    own = target.baseline.model_copy(update={"command": (str(program), *target.baseline.command[1:])})
    async with yard.production() as host:
        outcome, _ = await put(yard, target.model_copy(update={"baseline": own}))
        assert isinstance(outcome, Deployed)
        before = (await host.production()).held
        program.unlink()
        outcome, _ = await put(yard, target)
        assert "could not come back: " in outcome.sentence and outcome == NotDeployed(outcome.sentence, touched=False)
        assert (await host.production()).held == before is not None
        program.symlink_to(sys.executable)


async def test_a_new_baseline_is_kept_or_the_former_one_is_back(tmp_path: Path) -> None:
    yard = BenchYard(tmp_path)
    new, old = other(yard, **{"token-s": 0.001}), yard.order().target
    async with yard.production() as host:
        for bad, recorded, words in (
            ({"mode": "degenerate"}, None, "the new baseline does not pass gate coherent"),
            (
                {"token-s": 0.001},
                RecordedBaseline("measure-000001", {"n-parallel": "9"}),
                "not as its arm was attested (n-parallel: 9 in run measure-000001, ",
            ),
        ):
            outcome, told = await put(yard, other(yard, **bad), recorded, stop_at="the former baseline is put back")
            assert isinstance(outcome, NotDeployed) and words in outcome.sentence, outcome
            assert outcome.touched and outcome.up and outcome.away_s > 0
            assert "the former baseline is production again: pid" in outcome.sentence
            assert told[-1].endswith("; the former baseline is put back")
            assert await argv_of(host) == production_spec(old, tmp_path).argv
            assert "from before its files were changed" in await which_baseline(tmp_path, new)
        outcome, told = await put(yard, new)
        assert isinstance(outcome, Deployed) and "is up with the new baseline: pid" in outcome.sentence, outcome
        assert told == STEPS
        assert await argv_of(host) == production_spec(new, tmp_path).argv
        assert await which_baseline(tmp_path, new) == "small runs the baseline that its files say now"
        again, told = await put(yard, new)
        assert isinstance(again, Deployed) and again.away_s == 0 and "already" in again.sentence and not told
    with yard.ledger() as ledger:
        states = [(state.state, state.accepted) for _, state in ledger.of(TargetState, run="deploy-000001")]
    assert states == [("taken_down", None), ("restored", None)] * 2 + [("taken_down", None), ("restored", "a" * 64)]


@pytest.mark.system
async def test_one_that_does_not_come_up_and_a_guardian_that_is_killed(tmp_path: Path) -> None:
    yard = BenchYard(tmp_path)
    old, told = yard.order().target, list[str]()
    async with yard.production() as host:
        outcome, _ = await put(yard, other(yard, mode="refuse"))
        assert isinstance(outcome, NotDeployed) and outcome.up
        assert "the new baseline did not come up: production did not come back in 1 attempts" in outcome.sentence
        assert await argv_of(host) == production_spec(old, tmp_path).argv

        def kill_at(said: str) -> None:
            told.append(said)
            if said == "it is up; its gates are checked":
                kill_guardian(yard.place)

        new = NewBaseline("deploy-000002", other(yard, **{"token-s": 0.001}), yard.folder)
        with yard.ledger() as ledger:
            lost = await deploy(new, ledger, kill_at)
        assert isinstance(lost, NotDeployed) and lost.up, lost
        assert "the former baseline is production again: pid" in lost.sentence and "it is kept" not in told
    production = await Onlooker(yard.place).production()
    assert production.held is None and production.former is None


async def test_nothing_is_touched_where_nothing_runs_or_somebody_measures(tmp_path: Path) -> None:
    yard = BenchYard(tmp_path)
    outcome, _ = await put(yard, yard.order().target)
    assert outcome == NotDeployed(
        "production of 'small' does not run, so there is nothing to go back to; 'harness start small' first",
        touched=False,
        up=False,
    )
    lease = Lease.take(yard.place, "measure-000001")
    assert isinstance(lease, Lease)
    with lease:
        outcome, _ = await put(yard, yard.order().target)
    assert isinstance(outcome, NotDeployed) and "is being measured by" in outcome.sentence and not outcome.touched


def test_it_is_away_for_ending_and_the_longest_start(tmp_path: Path) -> None:
    target = BenchYard(tmp_path).order().target
    assert expected_away_s(target) == 2 + 0.3
    assert expected_away_s(target, (1.5, 4.0)) == 2 + 4
