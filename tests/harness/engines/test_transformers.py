"""A second real engine, `transformers serve`, through the own launch of the bench: measured, refused, killed."""

import os
import signal
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.second_engine import CRITERIA, FOLDER, target_text
from harness.vocabulary.arm import Arm
from harness.vocabulary.criteria import Criteria
from harness.vocabulary.outcome import Role
from harness.vocabulary.target import Target
from harness.workflow.launch import LaunchEvent, LaunchOutcome, LaunchRequest, Phase, run_launch
from tests.harness.direct_host import DirectHost

pytestmark = [pytest.mark.system, pytest.mark.alone]
PROJECT = Path(__file__).parents[3]
Said = Callable[[LaunchEvent], None]


def second_engine() -> Target:
    """The target over what `make test-system` installed; a missing one is a failure, not a skip."""
    folder = PROJECT / FOLDER
    assert (folder / "model" / "tokenizer.json").is_file(), (
        f"{folder} holds no engine; run: make {FOLDER}/model/tokenizer.json"
    )
    return Target.from_mapping(tomllib.loads(target_text(folder, 0)), "local-transformers")


def arm(name: str, attention: str) -> Arm:
    return Arm.from_mapping({"schema": 1, "name": name, "flags": {"attn-implementation": attention}}, name)


async def launched(host: DirectHost, change: Arm | None, said: Said = lambda event: None) -> LaunchOutcome:
    """One launch, with a load as small as can be: what takes its time here is the start and the gates."""
    asked = LaunchRequest("run-second", "run-123456", 0, 1, 0, Role.ARM if change else Role.BASELINE, change, 7)
    small = tomllib.loads(CRITERIA) | {"ladder": {"steps": [1], "tokens": 16, "request_timeout_s": 120}}
    criteria = Criteria.from_mapping(small, "criteria")
    return await run_launch(asked, second_engine(), criteria, host, (change,) if change else (), said)


async def test_an_arm_of_the_second_engine_is_measured(tmp_path: Path) -> None:
    host = DirectHost(tmp_path)
    outcome = await launched(host, arm("eager", "eager"))
    assert outcome.usable, outcome.sentence
    assert [gate.gate for gate in outcome.gates if gate.passed] == ["ready", "armed", "coherent", "identical", "quiet"]
    assert outcome.trial is not None
    rates = [metric for metric in outcome.trial.metrics if metric.metric == "user_tok_s"]
    assert [metric.load for metric in rates] == [1] and 0.1 < rates[0].value < 10_000
    assert host.living() == ()


async def test_a_setting_that_it_refuses_is_told_in_its_own_words(tmp_path: Path) -> None:
    host = DirectHost(tmp_path)
    outcome = await launched(host, arm("nonsense", "nonsense"))
    assert outcome.launch.reason == "bad_value"
    assert "Unsupported attention implementation: 'nonsense'" in outcome.launch.detail
    assert host.living() == ()


async def test_killed_while_it_is_used_it_has_died_and_leaves_nothing(tmp_path: Path) -> None:
    host = DirectHost(tmp_path)

    def kill(event: LaunchEvent) -> None:
        if event.phase is Phase.ARMED:
            (server,) = host.started
            os.kill(server, signal.SIGKILL)

    outcome = await launched(host, None, kill)
    assert outcome.launch.reason == "died"
    assert outcome.trial is None and host.living() == ()
