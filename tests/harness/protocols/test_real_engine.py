"""Protocols on the real llama.cpp server that ships with the demo: whole launches, every gate included."""

from pathlib import Path
from typing import Any

import pytest

from harness.vocabulary.arm import Arm
from harness.vocabulary.outcome import Reason, Role
from harness.vocabulary.target import Target
from harness.workflow.launch import run_launch
from harness.workflow.launch_values import LaunchOutcome, LaunchRequest
from tests.harness.direct_host import DirectHost
from tests.harness.protocols.simulated import criteria_of
from tests.harness.protocols.streams import values

pytestmark = [pytest.mark.system, pytest.mark.alone]

TARGET = Path(__file__).parents[3] / "targets" / "local-llamacpp.toml"
TWO_SLOTS = Arm.from_mapping(
    {
        "schema": 1,
        "name": "two-slots",
        "flags": {"n-parallel": 2, "ctx-size": 8192},
        "witness": [{"source": "props", "path": "total_slots", "equals": 2}],
    },
    "arm",
)


async def launched(folder: Path, protocol: str, table: dict[str, Any]) -> LaunchOutcome:
    host = DirectHost(folder)
    request = LaunchRequest("run-real.b0", "run-123456", 0, 1, 0, Role.ARM, TWO_SLOTS, 7)
    criteria = criteria_of(protocol, table)
    target = Target.from_toml(TARGET)
    target = target.model_copy(update={"endpoint": target.endpoint.model_copy(update={"tokenizer": "/tokenize"})})
    outcome = await run_launch(request, target, criteria, host, (TWO_SLOTS,), lambda event: None)
    assert host.living() == ()
    return outcome


@pytest.mark.parametrize(
    ("protocol", "table", "names"),
    [
        ("mixed", {"users": 2, "rounds": 2, "prompt_tokens": [64, 256], "tokens": [16, 32]}, {"total_tok_s"}),
        ("burst", {"at_once": [2, 4], "tokens": 16, "pause_s": 0.2}, {"ttft_p95_ms"}),
        ("identity", {"prompts": 2, "users": 2, "tokens": 16}, {"identical_alone_share"}),
        ("documents", {"lengths": [256, 1024], "users": [1, 2], "tokens": 4}, {"cold_ttft_ms@1024"}),
        ("soak", {"seconds": 4, "users": 2, "sample_s": 0.1, "prompt_tokens": 64, "tokens": 16}, {"growth_mib_h"}),
    ],
)
async def test_a_real_server_is_measured_by_every_protocol(
    tmp_path: Path, protocol: str, table: dict[str, Any], names: set[str]
) -> None:
    outcome = await launched(tmp_path, protocol, table)
    assert outcome.usable, (outcome.sentence, outcome.trial and outcome.trial.findings)
    assert outcome.trial is not None and names <= {metric.metric for metric in outcome.trial.metrics}
    assert [gate.gate.value for gate in outcome.gates if gate.passed].count("isolated") == 1
    assert any("prompt tokens by the server, " in finding for finding in outcome.trial.findings), "counted again"


async def test_cold_warm_and_nested_prompts_are_told_apart_by_a_real_cache(tmp_path: Path) -> None:
    table = {"lengths": [1024], "users": [1], "tokens": 4, "warm": True}
    outcome = await launched(tmp_path, "documents", table)
    assert outcome.trial is not None and outcome.usable, outcome.sentence
    seen = values(outcome.trial.metrics)
    assert seen["warm_ttft_ms@1024", 1] < 0.5 * seen["cold_ttft_ms@1024", 1]
    assert seen["cached_tokens@1024", 1] > 900


async def test_a_base_model_calls_no_tool(tmp_path: Path) -> None:
    outcome = await launched(tmp_path, "tool_calls", {"tokens": 32})
    assert not outcome.usable and outcome.trial is not None
    assert outcome.trial.reason is Reason.NO_TOOL_CALL, outcome.trial.detail
