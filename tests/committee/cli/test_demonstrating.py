"""What the demonstration prints to go on with can be pasted into a shell that has not activated its environment."""

import sys
from pathlib import Path

import pytest

from committee.cli.demonstrating import _program


def test_a_program_off_the_path_is_named_by_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    beside = tmp_path / "harness"
    beside.write_text("#!/bin/sh\n", encoding="utf-8")
    beside.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", "/nowhere")
    assert _program("harness") == str(beside)
    assert _program("committee") == "committee"  # neither here nor there: its name is all that is known
    monkeypatch.setenv("PATH", str(tmp_path))
    assert _program("harness") == "harness"
