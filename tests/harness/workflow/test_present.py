"""A program or model file that is not there is said before production stops, for the baseline and for every arm."""

import shutil
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness.hosts.base import ServerSpec
from harness.hosts.onlooker import Onlooker
from harness.vocabulary.arm import Arm
from harness.vocabulary.outcome import Reason
from harness.vocabulary.target import Target
from harness.workflow.events import MeasureEvent
from harness.workflow.measure import NotMeasured
from harness.workflow.present import absent, gone
from ledger.entries import Launch, RunEnd, TargetState
from tests.harness.workflow.bench_yard import FAST, TARGET, BenchYard


def target_with(*command: str, **flags: Any) -> Target:
    """The yard's target with another command or more flags."""
    baseline = {**TARGET["baseline"], "flags": {**TARGET["baseline"]["flags"], **flags}}
    if command:
        baseline["command"] = list(command)
    return Target.model_validate({**TARGET, "baseline": baseline})


async def said(target: Target, folder: Path, *arms: Arm) -> str:
    """What is said of it on this machine."""
    return await absent(target, arms, Onlooker(folder / "state"), folder) or ""


@pytest.mark.parametrize("program", ["/opt/none/llama-server", "no-such-program", "./bin/none"])
async def test_a_baseline_whose_program_is_not_there(tmp_path: Path, program: str) -> None:
    found = await said(target_with(program), tmp_path)
    assert found == (
        f"the baseline of 'small' cannot start: {program!r} is not there or may not be used; correct [baseline] in "
        "'targets/small.toml' or put it there"
    )


async def test_programs_that_are_there_by_path_by_name_and_beside_the_workspace(tmp_path: Path) -> None:
    (tmp_path / "serve").symlink_to(shutil.which("true") or sys.executable)
    for program in ("{python}", "sh", "./serve"):
        assert await said(target_with(program), tmp_path) == ""


async def test_a_model_file_that_is_not_there_unless_a_container_holds_it(tmp_path: Path) -> None:
    model = tmp_path / "model.gguf"
    assert str(model) in await said(target_with(model=str(model)), tmp_path)
    model.touch()
    assert await said(target_with(model=str(model)), tmp_path) == ""
    assert await said(target_with(model="a-name/of-a-model"), tmp_path) == ""
    inside = target_with("docker", "run", model="/models/inside.gguf")
    assert "/models" not in await said(inside, tmp_path), "a path of the container is not this machine's"


async def test_an_arms_own_model_is_named_with_the_arm(tmp_path: Path) -> None:
    arm = Arm.model_validate({"schema": 1, "name": "other", "flags": {"model": "/none/other.gguf"}})
    found = await said(target_with(), tmp_path, Arm.model_validate(FAST), arm)
    assert found.startswith("arm 'other' cannot start: '/none/other.gguf' is not there") and "the arm" in found


async def test_a_production_that_could_not_come_back(tmp_path: Path) -> None:
    spec = ServerSpec("production", ("/opt/old/server",), (("PATH", "/usr/bin"),), tmp_path, "ready", 1, 1)
    there, target = Onlooker(tmp_path), target_with()
    assert "'/opt/old/server', with which it was started" in (await gone(target, spec, there) or "")
    assert await gone(target, None, there) is None


@pytest.mark.parametrize(
    "words",
    [("/none/serve.py", "--port", "1"), ("-m", "/none/a.gguf"), ("--model", "/none/m"), ("serve", "--model=/none/m")],
)
async def test_a_production_whose_files_are_gone_would_not_come_back(tmp_path: Path, words: tuple[str, ...]) -> None:
    spec = ServerSpec("production", (sys.executable, *words), (("PATH", "/usr/bin"),), tmp_path, "ready", 1, 1)
    found = await gone(target_with(), spec, Onlooker(tmp_path)) or ""
    assert "'/none/" in found and "`harness stop small` and `harness start small`" in found
    written = replace(spec, argv=(sys.executable, "--log-file", "/none/out.log", "--cache", "/none/c"))
    assert await gone(target_with(), written, Onlooker(tmp_path)) is None


async def no_block_is_tried_again(tmp_path: Path, target: Target, words: str) -> None:
    """One launch of a control, one sentence, no end on record, and production up as it was."""
    yard, events = BenchYard(tmp_path), list[MeasureEvent]()
    order = yard.order().model_copy(update={"target": target})
    async with yard.production() as host:
        with yard.ledger() as ledger:
            outcome = await yard.measurement(order, ledger, events).run()
            assert isinstance(outcome, NotMeasured) and outcome.reason is Reason.START_REFUSED
            start = "the baseline of 'small' cannot start, and trying again changes nothing: "
            again = "the placebo of 'small' cannot start, and trying again changes nothing: "
            assert outcome.sentence.startswith((start, again)) and words in outcome.sentence
            assert outcome.sentence.endswith(
                "put right what it names on the machine, and this order goes on (finished blocks are kept); "
                "this order keeps its own copy of 'targets/small.toml' and of the arms, so what you correct there "
                "needs a new order: `harness measure small --criteria FILE --arm FILE`"
            )
            controls = [launch for _, launch in ledger.of(Launch) if launch.role != "arm"]
            assert len(controls) == 1 and ledger.of(RunEnd) == []
            assert [state.state for _, state in ledger.of(TargetState)] == ["up", "taken_down", "restored"]
        assert (await host.production()).held is not None
    told = [event.text for event in events]
    assert told.count(outcome.sentence) == 1 and told[-1] == outcome.sentence
    assert "block_broken" not in [event.what for event in events]


async def test_a_baseline_that_the_machine_cannot_run_is_tried_once(tmp_path: Path) -> None:
    program = tmp_path / "serve"
    program.write_bytes(b"\0no program at all")
    program.chmod(0o755)
    await no_block_is_tried_again(tmp_path, target_with(str(program)), "Exec format error")


async def test_a_baseline_whose_engine_names_a_lasting_cause_is_tried_once(tmp_path: Path) -> None:
    await no_block_is_tried_again(tmp_path, target_with(mode="refuse"), "unsupported_partition: ")


async def test_a_run_ends_before_anything_is_touched(tmp_path: Path) -> None:
    yard = BenchYard(tmp_path)
    order = yard.order().model_copy(update={"target": target_with("/opt/none/llama-server")})
    with yard.ledger() as ledger:
        outcome = await yard.measurement(order, ledger, []).run()
        assert isinstance(outcome, NotMeasured) and outcome.reason is Reason.START_REFUSED
        assert "'/opt/none/llama-server' is not there" in outcome.sentence
        assert outcome.sentence.endswith(f"; {order.copies}; production was not touched")
        assert not ledger.of(Launch) and not ledger.of(TargetState)
