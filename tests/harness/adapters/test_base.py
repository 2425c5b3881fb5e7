"""Command lines and environments: the same rules for every engine."""

import sys
from pathlib import Path
from typing import Any

import pytest

from harness.account import account_home
from harness.adapters import ADAPTERS, Place, server_spec
from harness.adapters.base import environment, merged_flags, recorded_environment
from harness.vocabulary.arm import Arm
from harness.vocabulary.target import OtherHost, Target

PLACE = Place(alias="run-1-b0-p0", port=0, cwd=Path())


def target(adapter: str = "llamacpp", **baseline: Any) -> Target:
    value = {
        "schema": 1,
        "name": "t",
        "adapter": adapter,
        "users": 4,
        "baseline": {"command": ["{python}", "-m", "engine"], "flags": {"n_parallel": 1, "verbose": True}} | baseline,
        "endpoint": {"port": 8000},
        "ready": {"pattern": "ready", "timeout_s": 9},
        "recorded_env": ["LANG", "MODE"],
        "planning": {"launch_sd_pct": 5, "start_s": 1},
    }
    return Target.from_mapping(value, "t")


def arm(**changes: Any) -> Arm:
    return Arm.from_mapping({"schema": 1, "name": "a", "flags": {"N-Parallel": 4}} | changes, "a")


def test_the_arm_wins_over_the_baseline_in_one_spelling() -> None:
    assert merged_flags(target(), arm()) == {"n-parallel": 4, "verbose": True}


def test_a_flag_set_to_false_is_taken_away_and_true_is_bare() -> None:
    argv = ADAPTERS["llamacpp"].argv(target(), arm(flags={"verbose": False, "n-parallel": 2.0}), PLACE)
    assert "--verbose" not in argv and argv[argv.index("--n-parallel") + 1] == "2"
    assert "--verbose" in ADAPTERS["llamacpp"].argv(target(), None, PLACE)


def test_llamacpp_is_told_its_place_after_everything_else() -> None:
    argv = ADAPTERS["llamacpp"].argv(target(), arm(), PLACE)
    assert argv[:3] == (sys.executable, "-m", "engine")
    assert argv[-6:] == ("--host", "127.0.0.1", "--port", "0", "--alias", "run-1-b0-p0")


def test_vllm_serves_the_model_under_the_launchs_name() -> None:
    argv = ADAPTERS["vllm"].argv(target("vllm"), None, Place("run-2", 8123, Path()))
    assert argv[-6:] == ("--host", "127.0.0.1", "--port", "8123", "--served-model-name", "run-2")


def test_a_command_gets_port_and_name_where_it_asks_for_them() -> None:
    asking = target("command", command=["serve", "--listen={port}"], flags={"name": "{alias}"})
    argv = ADAPTERS["command"].argv(asking, None, Place("run-3", 8124, Path()))
    assert argv == ("serve", "--listen=8124", "--name", "run-3")


def test_nothing_is_inherited_from_the_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "not for servers")
    monkeypatch.setenv("LD_PRELOAD", "/nowhere.so")
    whole = dict(environment(target(env={"MODE": "fast"}), arm(env={"MODE": "slow", "EXTRA": "1"})))
    assert set(whole) == {"PATH", "HOME", "LANG", "MODE", "EXTRA"}
    assert whole["MODE"] == "slow" and whole["HOME"] == account_home()


def test_only_listed_values_and_the_arms_own_are_recorded() -> None:
    recorded = dict(recorded_environment(target(env={"MODE": "fast", "PRIVATE": "x"}), arm(env={"EXTRA": "1"})))
    assert recorded == {"PATH": None, "HOME": None, "LANG": "C.UTF-8", "MODE": "fast", "PRIVATE": None, "EXTRA": "1"}


def test_a_spec_carries_what_the_guardian_needs(tmp_path: Path) -> None:
    spec = server_spec(ADAPTERS["llamacpp"], target(), arm(), Place("run-9", 0, tmp_path))
    assert (spec.label, spec.cwd, spec.ready_pattern, spec.ready_timeout_s) == ("run-9", tmp_path, "ready", 9)
    assert spec.argv == ADAPTERS["llamacpp"].argv(target(), arm(), Place("run-9", 0, tmp_path))
    assert "PATH" in dict(spec.env)


def test_a_server_on_another_machine_gets_its_own_home_and_python(
    tmp_path: Path,
) -> None:
    there = target().model_copy(
        update={"host": OtherHost(ssh="gpu1", python="/opt/python3"), "recorded_env": ("HOME",)}
    )
    there = there.model_copy(update={"baseline": there.baseline.model_copy(update={"command": ("{python}", "-V")})})
    spec = server_spec(ADAPTERS["llamacpp"], there, arm(), Place("run-9", 0, Path("/home/ada")))
    assert (spec.argv[0], spec.cwd, dict(spec.env)["HOME"]) == ("/opt/python3", Path("/home/ada"), "/home/ada")
    assert dict(recorded_environment(there, arm()))["HOME"] is None


@pytest.mark.parametrize("name", sorted(ADAPTERS))
def test_every_adapter_keeps_the_contract(name: str) -> None:
    adapter = ADAPTERS[name]
    assert adapter.name == name
    assert ("max_tokens", 64) in adapter.sampling(64)
    refuses_unknown_fields = name == "transformers"
    assert (("ignore_eos", True) in adapter.sampling(64)) is not refuses_unknown_fields
    argv = adapter.argv(target(name), arm(), PLACE)
    assert all(isinstance(word, str) for word in argv) and argv[0] == sys.executable
    assert adapter.serves_alias is any(PLACE.alias in word for word in argv)


@pytest.mark.parametrize("name", sorted(ADAPTERS))
async def test_a_server_that_does_not_answer_gives_an_empty_report(name: str) -> None:
    report = await ADAPTERS[name].report("http://127.0.0.1:1", "the log")
    assert (report.log, report.props, report.metrics, report.served_models) == ("the log", {}, {}, ())
    assert ADAPTERS[name].counters(report) is None
