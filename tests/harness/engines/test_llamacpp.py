"""The engine's program: usage without loading anything, and one real server for the whole session."""

import subprocess
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio

from harness.adapters import ADAPTERS, EngineReport, Place, server_spec
from harness.client.counting import check_counts
from harness.client.stream import Ask, Door, connections, send
from harness.engines.llamacpp import main
from harness.gates.ready import wait_ready
from harness.hosts.base import Held
from harness.vocabulary.arm import Arm
from harness.vocabulary.outcome import Role
from harness.vocabulary.target import Target
from harness.workflow.launch import LaunchRequest, run_launch
from tests.harness.direct_host import DirectHost
from tests.harness.workflow.test_launch import criteria

TARGET = Path(__file__).parents[3] / "targets" / "local-llamacpp.toml"


def arm(name: str, **changes: object) -> Arm:
    return Arm.from_mapping({"schema": 1, "name": name} | changes, name)


def request(arm_: Arm | None) -> LaunchRequest:
    return LaunchRequest("run-real", "run-123456", 0, 1, 0, Role.ARM if arm_ else Role.BASELINE, arm_, 7)


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["--model", "demo", "--turbo", "9"], "unrecognized arguments: --turbo 9; --help lists"),
        (["--model", "demo", "--n-par", "9"], "unrecognized arguments: --n-par 9"),
        (["--model", "demo", "--threads", "two"], "invalid int value: 'two'"),
        (["--model", "demo", "--flash-attn", "yes"], "invalid choice: 'yes'"),
        ([], "required: --model"),
    ],
)
def test_a_wrong_command_line_ends_with_2_and_one_sentence(
    capfd: pytest.CaptureFixture[str], argv: list[str], words: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(argv)
    assert ended.value.code == 2
    said = capfd.readouterr().err
    assert words in said and said.startswith("harness.engines.llamacpp: ") and said.count("\n") == 1


def test_a_model_that_is_no_file_ends_with_1_and_says_what_to_give(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["--model", "/nowhere/model.gguf"]) == 1
    assert "'/nowhere/model.gguf' is not a file; give the path of a GGUF file" in capfd.readouterr().err


def test_help_names_every_flag() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "harness.engines.llamacpp", "--help"], capture_output=True, text=True, check=True
    )
    assert "--cache-type-k {f32,f16" in done.stdout and "sequences decoded at once" in done.stdout


@dataclass(frozen=True)
class Running:
    """A real server and what it says of itself."""

    host: DirectHost
    held: Held
    base_url: str
    report: EngineReport


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def running(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Running]:
    """The shipped target with four slots and one other thread count, once for this file."""
    target, adapter = Target.from_toml(TARGET), ADAPTERS["llamacpp"]
    host = DirectHost(tmp_path_factory.mktemp("engine"))
    change = arm("other", flags={"n-parallel": 2, "threads": 1, "cache-type-k": "q8_0", "batch-size": 256})
    held = await host.start(server_spec(adapter, target, change, Place("run-real", 0, Path())))
    assert isinstance(held, Held)
    try:
        start = await wait_ready(host, held, target.ready, "http://127.0.0.1:0")
        assert start.base_url is not None, start.gate.evidence
        assert start.gate.passed
        report = await adapter.report(start.base_url, await host.read_log(held))
        yield Running(host, held, start.base_url, report)
    finally:
        await host.stop(held, 5)
    assert host.started[held.pid].returncode == 0  # ended by the polite signal, cleanly


@pytest.mark.asyncio(loop_scope="module")
async def test_the_engine_says_what_was_asked(running: Running) -> None:
    effective = running.report.effective
    assert {name: effective[name] for name in ("n-parallel", "threads", "cache-type-k", "batch-size")} == {
        "n-parallel": "2",
        "threads": "1",
        "cache-type-k": "q8_0",
        "batch-size": "256",
    }
    assert {effective[name] for name in ("ctx-size", "ubatch-size", "cache-type-v", "flash-attn")} == {
        "4096",
        "256",
        "f16",
        "on",
    }
    assert running.report.served_models == ("run-real",)


@pytest.mark.asyncio(loop_scope="module")
async def test_exactly_the_tokens_asked_for_come_and_are_counted(running: Running) -> None:
    adapter = ADAPTERS["llamacpp"]
    before = adapter.counters(running.report)
    door = Door(running.base_url, "completions", "run-real", adapter.sampling)
    async with connections() as client:
        record = await send(client, door, Ask("The history of the lighthouse", 24, 60))
    assert record.ok and record.tokens == 24 and record.finish_reason == "length", record.detail
    after = adapter.counters(await adapter.report(running.base_url, ""))
    assert before is not None and after is not None
    assert after.generated_tokens - before.generated_tokens == 24
    assert after.prompt_tokens - before.prompt_tokens == record.prompt_tokens > 4


@pytest.mark.asyncio(loop_scope="module")
async def test_the_engines_own_tokenizer_agrees_with_its_count(running: Running) -> None:
    door = Door(running.base_url, "completions", "run-real", ADAPTERS["llamacpp"].sampling)
    async with connections() as client:
        record = await send(client, door, Ask("The history of the lighthouse begins", 100, 60))
    check = await check_counts(door, "/tokenize", (record,))
    assert check.reason is None, check.sentence
    assert check.recounts[0].server == 100 and 90 <= check.recounts[0].tokenizer <= 110


async def test_a_setting_that_the_engine_refuses_is_told_in_its_own_words(tmp_path: Path) -> None:
    host = DirectHost(tmp_path)
    refused = arm("refused", flags={"cache-type-v": "q8_0", "flash-attn": "off"})
    outcome = await run_launch(
        request(refused), Target.from_toml(TARGET), criteria(), host, (refused,), lambda event: None
    )
    assert outcome.launch.reason == "bad_value"
    assert "llama_init_from_model: quantized V cache r" in outcome.launch.detail
    assert host.living() == () and next(iter(host.started.values())).returncode == 1


async def test_a_real_arm_is_measured(tmp_path: Path) -> None:
    host = DirectHost(tmp_path)
    four = arm(
        "four", flags={"n-parallel": 4, "threads": 1}, witness=[{"source": "props", "path": "total_slots", "equals": 4}]
    )
    small = criteria(ladder={"steps": [2], "tokens": 16, "request_timeout_s": 120})
    outcome = await run_launch(request(four), Target.from_toml(TARGET), small, host, (four,), lambda event: None)
    assert outcome.usable, outcome.sentence
    assert [gate.gate for gate in outcome.gates] == ["ready", "armed", "coherent", "identical", "isolated", "quiet"]
    assert outcome.trial is not None
    values = {metric.metric: metric.value for metric in outcome.trial.metrics}
    assert set(values) >= {"user_tok_s", "total_tok_s", "ttft_ms"}
    assert all(0.1 < value < 100_000 for value in values.values())
    assert host.living() == ()
