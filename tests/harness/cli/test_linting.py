"""`harness lint` from a terminal: the list, a command line, a target with an arm, exit codes."""

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from harness.cli.linting import commands
from harness.vocabulary.base import BadFileError

TARGETS = Path(__file__).resolve().parents[3] / "targets"


def run(*words: str) -> tuple[int, str]:
    result = CliRunner().invoke(commands, list(words))
    return result.exit_code, result.stdout


def test_rules_are_listed() -> None:
    code, shown = run()
    assert code == 0
    assert "decode-partition" in shown
    code, text = run("--json")
    assert {"rule", "holds", "engines"} == set(json.loads(text)[0])


@pytest.mark.parametrize(
    "words", [("--arm", "none.toml"), ("--model", "none.gguf"), ("--command", ""), ("--command", "llama-bench -m 'x")]
)
def test_nothing_to_hold_is_a_usage_error_and_never_a_pass(words: tuple[str, ...]) -> None:
    result = CliRunner().invoke(commands, list(words))
    assert isinstance(result.exception, BadFileError)


def test_a_fault_is_a_negative_answer() -> None:
    code, shown = run("--command", "llama-bench -ts 1,1")
    assert code == 1
    assert shown.startswith("fault: ts = '1,1'")
    assert run("--command", "llama-bench -ts 1/1") == (0, "No rule has anything to say.\n")


def test_a_target_and_an_arm(tmp_path: Path) -> None:
    (tmp_path / "committee.toml").write_text("schema = 1\n", encoding="utf-8")
    (tmp_path / "targets").mkdir()
    shutil.copy(TARGETS / "v100-tp4.toml", tmp_path / "targets")
    arm = tmp_path / "arm.toml"
    arm.write_text('schema = 1\nname = "cut"\n\n[flags]\nmax-num-batched-tokens = 65536\n', encoding="utf-8")
    code, text = run("v100-tp4", "--arm", str(arm), "--workspace", str(tmp_path), "--json")
    assert code == 0
    found = [(one["rule"], one["arm"]) for one in json.loads(text)]
    assert found == [("decode-partition", ""), ("split-prefill", "cut")]
