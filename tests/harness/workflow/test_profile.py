"""A launch under a stand-in profiler, one file a process, and again without it; production is back afterwards."""

import asyncio
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from harness.lease import Lease
from harness.vocabulary.arm import Arm
from harness.vocabulary.base import BadFileError
from harness.vocabulary.target import Target
from harness.workflow.drain import Politeness
from harness.workflow.profile import NSYS, NotProfiled, Profiled, Question, profile
from ledger.entries import Launch, TargetState, Trial
from tests.harness import stand_in_profiler
from tests.harness.workflow.bench_yard import FAST, TARGET, BenchYard, no_guardian

TOOL = (sys.executable, str(Path(stand_in_profiler.__file__)), "--output={folder}/report.%p")
POLITE = Politeness(users_accept=True)


def question(yard: BenchYard, *instrument: str, arm: dict[str, object] | None = None) -> Question:
    given = Arm.from_mapping(arm, "arm") if arm else None
    return Question(yard.order().target, "0" * 64, given, instrument or TOOL, 16, POLITE)


async def test_a_profile_leaves_one_file_a_process_and_the_arm_starts_without_it(tmp_path: Path) -> None:
    yard, told = BenchYard(tmp_path), list[str]()
    async with yard.production() as host, asyncio.timeout(120):
        before = (await host.production()).held
        with yard.ledger() as ledger:
            seen = await profile(question(yard, arm=FAST), yard.folder, ledger, told.append)
            assert isinstance(seen, Profiled) and seen.good, seen
            assert [state.state for _, state in ledger.of(TargetState)] == ["up", "taken_down", "restored"]
            assert ledger.of(Launch) == [] and ledger.of(Trial) == [], "its numbers are nobody's"
        after = (await host.production()).held
    assert before is not None and after is not None and before != after
    assert (seen.instrumented, seen.again) == ("measured", "measured")
    held = {one.pid for one in seen.files}
    assert len(seen.without_file) == 1 and not held & set(seen.without_file), "the profiler itself has no file"
    assert all(Path(one.path).read_text() == f"profile of {one.pid}\n" for one in seen.files)
    assert seen.sentence.endswith("1 of 2 processes by their id; the server works without it")
    assert "launching again without the instrument" in " ".join(told)


async def test_an_instrument_that_stops_the_start_is_told_with_its_cause(tmp_path: Path) -> None:
    yard = BenchYard(tmp_path)
    with yard.ledger() as ledger:
        seen = await profile(question(yard, *TOOL, "--crash-inside"), yard.folder, ledger, lambda words: None)
    assert isinstance(seen, Profiled) and not seen.good and seen.files == ()
    assert seen.instrumented.startswith("instrumented_graph: ") and seen.again == "measured"
    assert yard.place.stat().st_mode & 0o777 == 0o700, "made by the profile, and private variables are in it"
    assert "left no file" in seen.sentence and seen.sentence.endswith("the server works without it")


async def test_a_target_that_is_being_measured_and_an_arm_that_is_denied_are_refused(tmp_path: Path) -> None:
    yard = BenchYard(tmp_path)
    with yard.ledger() as ledger:
        denied = FAST | {"flags": {"host": "0.0.0.0"}}
        with pytest.raises(BadFileError, match="is not listed"):
            await profile(question(yard, arm=denied), yard.folder, ledger, lambda words: None)
        yard.place.mkdir(parents=True, exist_ok=True)
        lease = Lease.take(yard.place, "measure-other-000001", take_over=False)
        assert isinstance(lease, Lease)
        with lease:
            refused = await profile(question(yard), yard.folder, ledger, lambda words: None)
    assert isinstance(refused, NotProfiled) and "measure-other-000001" in refused.sentence


async def test_an_instrument_that_is_not_there_takes_nobodys_server_away(tmp_path: Path) -> None:
    yard = BenchYard(tmp_path)
    async with yard.production() as host:
        before = (await host.production()).held
        with yard.ledger() as ledger:
            said = await profile(question(yard, "/none/nsys", "x"), yard.folder, ledger, lambda words: None)
            assert [state.state for _, state in ledger.of(TargetState)] == ["up", "restored"], "proven, never down"
        assert (await host.production()).held == before
    assert isinstance(said, NotProfiled) and "the instrument '/none/nsys' is not on the target's host" in said.sentence
    assert said.sentence.endswith("production was not touched")


async def test_a_stop_after_which_production_is_not_back_says_so(tmp_path: Path) -> None:
    yard, tasks = BenchYard(tmp_path), list[asyncio.Task[object]]()
    async with yard.production():
        with yard.ledger() as ledger, no_guardian(yard.place) as break_it:

            def stop(words: str) -> None:
                break_it()
                tasks[0].cancel()

            tasks.append(asyncio.create_task(profile(question(yard), yard.folder, ledger, stop)))
            said = await tasks[0]
    assert isinstance(said, NotProfiled) and said.down, said
    assert said.sentence.startswith("production was not brought back: ")


async def test_an_arm_that_is_code_is_refused(tmp_path: Path) -> None:
    yard = BenchYard(tmp_path)
    files = {"baseline": {"command": ["/srv/deploy.sh"]}, "deploy": {"script": "/srv/deploy.sh", "edits": True}}
    arm = Arm.from_mapping({"schema": 1, "name": "code", "deploy": [{"find": "a", "replace": "b"}]}, "arm")
    asked = replace(question(yard), target=Target.from_mapping(TARGET | files, "target"), arm=arm)
    with yard.ledger() as ledger, pytest.raises(BadFileError, match="arm 'code' runs code that is not production's"):
        await profile(asked, yard.folder, ledger, lambda words: None)


def test_nsight_systems_writes_one_file_a_process_id() -> None:
    assert NSYS[:3] == ("nsys", "profile", "--output={folder}/%p")
    assert "--trace-fork-before-exec=true" in NSYS
