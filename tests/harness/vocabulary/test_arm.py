"""An arm's fingerprint is its change alone, and a bad arm is refused with one sentence."""

import os
from pathlib import Path
from typing import Any

import pytest

from harness.vocabulary.arm import Arm, Witness
from harness.vocabulary.base import BadFileError
from harness.workflow.model_files import read_header
from harness.workflow.profile_tables import read_profile


def arm(**change: Any) -> Arm:
    return Arm.model_validate({"schema": 1, "name": "a", **change})


def test_fingerprint_ignores_name_title_and_witness() -> None:
    one = arm(flags={"n-parallel": 4}, title="four")
    two = Arm.model_validate(
        {"schema": 1, "name": "b", "flags": {"n_parallel": 4}, "witness": [{"source": "log", "pattern": "x"}]}
    )
    assert one.fingerprint == two.fingerprint


def test_fingerprint_tells_values_and_variables_apart() -> None:
    assert arm(flags={"threads": 1}).fingerprint != arm(flags={"threads": 2}).fingerprint
    assert arm(flags={"X": "1"}).fingerprint != arm(env={"X": "1"}).fingerprint
    assert arm(flags={"t": 4.0}).fingerprint == arm(flags={"t": 4}).fingerprint


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('schema = 1\nname = "a"\n', "at least one flag or env entry"),
        ('schema = 1\nname = "A B"\n[flags]\nx = 1\n', "'name'"),
        ('schema = 1\nname = "a"\n[flags]\n"--x" = 1\n', "is not a flag or variable name"),
        ('schema = 1\nname = "a"\nextra = 1\n[flags]\nx = 1\n', "unknown key"),
        ('schema = 2\nname = "a"\n[flags]\nx = 1\n', "'schema'"),
        ('schema = 1\nname = "a"\n[flags]\nx = "a\\nb"\n', "control character"),
        ('schema = 1\nname = "a\n', r"is not valid TOML \(.*at line 2, column 10\)"),
        ('schema = 1\nname = "a"\n[flags]\nx = nan\n', "'x' must be text, true, false or a finite number"),
        (f"schema = {'9' * 5000}\n", "a number has thousands of digits, or lists are nested too deeply"),
        (f"schema = {'9' * 4000}\n", "'schema'"),
        (f"x = {'[' * 2000}\n", "a number has thousands of digits, or lists are nested too deeply"),
        ('schema = 1\nname = "a"\n[flags]\nx_y = 1\nx-y = 2\n', "'x_y' and 'x-y' are two spellings of one flag"),
        ('schema = 1\nname = "a"\n[flags]\nX = 1\nx = 1\n', "'X' and 'x' are two spellings of one flag; keep one"),
    ],
)
def test_bad_arm_files_get_one_sentence(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "a.toml"
    path.write_text(text)
    with pytest.raises(BadFileError, match=complaint) as said:
        Arm.from_toml(path)
    assert str(path) in str(said.value)
    assert "\n" not in str(said.value)


def test_a_pipe_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.toml")
    with pytest.raises(BadFileError, match=r"cannot be read \(it is no regular file\); check the path"):
        Arm.from_toml(tmp_path / "a.toml")
    with pytest.raises(BadFileError, match=r"cannot be read \(it is no regular file\)"):
        read_profile([tmp_path / "a.toml"], 1)
    assert read_header(tmp_path / "a.toml").fault == "it is no regular file"


def test_missing_and_binary_files_get_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(BadFileError, match="does not exist"):
        Arm.from_toml(tmp_path / "none.toml")
    (tmp_path / "b.toml").write_bytes(b"\xff\x00")
    with pytest.raises(BadFileError, match="not UTF-8"):
        Arm.from_toml(tmp_path / "b.toml")
    (tmp_path / "big.toml").write_text("#" * 1_000_001)
    with pytest.raises(BadFileError, match="larger than"):
        Arm.from_toml(tmp_path / "big.toml")
    with pytest.raises(BadFileError, match=r"cannot be read \(Is a directory\)"):
        Arm.from_toml(tmp_path)


@pytest.mark.parametrize(
    "value",
    [
        {"source": "log"},
        {"source": "log", "pattern": "("},
        {"source": "props", "path": "x"},
        {"source": "metrics", "equals": 1},
    ],
)
def test_incomplete_witness_is_refused(value: dict[str, Any]) -> None:
    with pytest.raises(BadFileError):
        Witness.from_mapping(value, "here")
