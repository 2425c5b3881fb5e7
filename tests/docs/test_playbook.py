"""Every step of the playbook is a command that exists, with options that it takes; every folder it names is there."""

import re
import shlex
from pathlib import Path

import pytest
from typer.core import TyperGroup
from typer.main import get_command

from committee.cli.app import app as committee
from harness.cli.app import app as harness
from harness.cli.subcommands import Subcommands
from tests.docs.console import blocks

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "playbook.md").read_text(encoding="utf-8")
STEPS = [
    line.removeprefix("$ ")
    for info, body in blocks(PAGE)
    if info == "console"
    for line in body.splitlines()
    if line.startswith("$ ")
]


@pytest.mark.parametrize("step", STEPS)
def test_a_step_is_a_command_that_exists(step: str) -> None:
    program, verb, *words = shlex.split(step, comments=True)
    group = get_command({"harness": harness, "committee": committee}[program])
    assert isinstance(group, TyperGroup)
    if isinstance(group, Subcommands):
        group.load(verb)
    command = group.commands[verb]
    taken = {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}
    assert {word for word in words if word.startswith("--")} <= taken


def test_the_page_is_made_of_steps_and_names_folders_that_are_there() -> None:
    assert len(STEPS) >= 20
    named = re.findall(r"\| `(\d{4}-[a-z0-9-]+)` \|", PAGE)
    assert len(named) >= 7
    assert all((ROOT / "proposals" / name / "proposal.toml").is_file() for name in named)
