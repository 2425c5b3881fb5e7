"""docs/commands.md says what the commands say of themselves."""

import subprocess
import sys

import pytest
import typer
from typer.core import TyperGroup
from typer.main import get_command

from committee.cli.app import app as committee_app
from harness.cli.app import app as harness_app
from harness.cli.subcommands import Subcommands
from tests.docs.commands_page import PAGE, WIDTH, page


def test_the_page_is_not_stale() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run `python -m tests.docs.commands_page` and commit"


@pytest.mark.parametrize(("program", "app"), [("committee", committee_app), ("harness", harness_app)])
def test_every_command_has_its_section(program: str, app: typer.Typer) -> None:
    made, group = page(), get_command(app)
    assert isinstance(group, TyperGroup)
    assert len(group.commands) > 5
    for name in group.commands:
        assert f"### {program} {name}\n" in made
        assert f"Usage: {program} {name} " in made


def test_no_command_offers_to_change_a_shell() -> None:
    """Completion is typer's own and knows a subcommand by a name that nobody types."""
    offers = [line for line in page().splitlines() if "-completion" in line]
    assert offers == [], "make its typer.Typer with add_completion=False"


@pytest.mark.parametrize("app", [committee_app, harness_app])
def test_the_list_says_what_each_command_says_of_itself(app: typer.Typer) -> None:
    group = get_command(app)
    assert isinstance(group, Subcommands)
    listed = {name: command.help for name, command in group.commands.items()}
    group.load_all()
    own = {name: " ".join((command.help or "").split("\n\n")[0].split()) for name, command in group.commands.items()}
    assert listed == own


def test_the_list_is_shown_without_loading_what_the_commands_need() -> None:
    program = (
        "import sys, contextlib, io\nfrom committee.cli import main\nsys.argv = ['committee', '--help']\n"
        "with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()):\n    main()\n"
        "print(sorted({'scipy', 'sqlmodel', 'langgraph', 'openai', 'altair', 'git', 'pydantic'} & set(sys.modules)))"
    )
    said = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert said.stdout.strip() == "[]"


def test_it_has_no_colours_and_a_fixed_width(monkeypatch: pytest.MonkeyPatch) -> None:
    made = page()
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert page() == made
    assert "\x1b" not in made
    assert max(len(line) for line in made.splitlines() if line.startswith("  ")) <= WIDTH
