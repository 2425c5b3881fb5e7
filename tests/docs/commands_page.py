"""Writes docs/commands.md from the command lines themselves: `python -m tests.docs.commands_page`."""

from collections.abc import Iterator
from pathlib import Path

import typer
from typer.core import TyperCommand, TyperGroup

from committee.cli.app import app as committee_app
from harness.cli.app import app as harness_app
from harness.cli.subcommands import Subcommands

PAGE = Path(__file__).resolve().parents[2] / "docs" / "commands.md"
WIDTH = 100  # columns; the same wherever the page is made
HEAD = """# Commands

Made by `python -m tests.docs.commands_page` from the commands' own help; a test fails when this
page is stale. An error is one sentence on standard error that says what, where and what to do. Exit
codes, for every command alike:

- **0**: done, or a good answer.
- **1**: a negative answer. What was asked was understood and looked at, and it is not met, not
  whole, not up, or not there yet.
- **2**: what was typed cannot be begun. A word is missing, empty or mistyped; a name names nothing,
  or several things; a file cannot be read, is not of its kind, or would be written over; a word is
  no text (bytes that are not UTF-8).
- **130**: a person stopped it (Ctrl-C, SIGTERM, or `harness stop` a run in another terminal) before
  it had its answer. What was finished is kept, what was begun says how it goes on, and production
  is up again, or down where it was not to run. Where it should be up and is not, and where an error
  came in between (a full disk, a guardian that does not answer), the code is 1. `harness attach`
  only watches: leaving it with Ctrl-C is its good end (0), and the run that it watched goes on.

With `--json` standard output is one JSON value whatever the exit code: where a command ends with a
sentence alone, that is `{"error": ...}`, and so it is where Ctrl-C ends one (130) that has not
answered yet. Only in the first instant, while Python itself starts, is there none. Two commands
tell what happens while it happens, one JSON object a line: `harness measure --json`, whose last
line is the outcome, and `harness attach --json`.

The exit code answers also where nobody can read the sentence: `committee verify >&- 2>&-` ends with
0 only when it read the whole ledger and found it whole. Output that cannot be written (a full disk)
is one sentence and 1: what was asked was done as far as that.

A test types every command of both programs with words missing, unknown and empty, and with folders
and binary files where files belong (`tests/committee/cli/test_exit_codes.py`).
"""


def page() -> str:
    """The whole page."""
    parts = [HEAD]
    for program, app in (("committee", committee_app), ("harness", harness_app)):
        group = typer.main.get_command(app)
        if not isinstance(group, TyperGroup):
            raise TypeError(f"{program!r} has a single command; this page wants subcommands")
        parts.append(f"## {program}\n\n{group.help}\n")
        parts += [f"### {program} {name}\n\n```text\n{text}\n```\n" for name, text in helps(program, group)]
    return "\n".join(parts)


def helps(program: str, group: TyperGroup) -> Iterator[tuple[str, str]]:
    """Name and help of every command, in the order in which the program lists them."""
    if isinstance(group, Subcommands):
        group.load_all()
    for name, command in group.commands.items():
        if not isinstance(command, TyperCommand | TyperGroup):
            raise TypeError(f"{program} {name} is neither a command nor a group of them")
        command.rich_markup_mode = None  # plain words: boxes and colours depend on the terminal
        context = command.context_class(
            command, info_name=f"{program} {name}", terminal_width=WIDTH, max_content_width=WIDTH, color=False
        )
        yield name, "\n".join(line.rstrip() for line in command.get_help(context).splitlines())
        if isinstance(command, TyperGroup):
            yield from ((f"{name} {inner}", text) for inner, text in helps(f"{program} {name}", command))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
