"""The `harness` command. A subcommand's module is loaded when it is typed: looking at the help loads no library."""

from dataclasses import dataclass
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command as made_of

from harness.cli.interrupt import silently_interruptible
from harness.cli.speak import guarded_main


@dataclass(frozen=True)
class Entry:
    """Where a subcommand is, and its line in the list; a test holds the line equal to the command's own words."""

    module: str  # below harness.cli; its `commands` holds the subcommand
    line: str


COMMANDS: dict[str, Entry] = {
    "measure": Entry("measure", "Measure arms against the baseline, in blocks, and bring production back."),
    "status": Entry("runs", "Look only: how a run is getting on, or what a target and its runs are doing."),
    "attach": Entry("runs", "Watch a run live. Leaving with Ctrl-C does not touch the run."),
    "fetch": Entry("runs", "Bring back what a run has recorded, and say where it is."),
    "show": Entry("showing", "Look only: verdicts, interactions and changed files of a run, from the record alone."),
    "targets": Entry("targets", "List the targets of the workspace."),
    "attest": Entry(
        "production", "Look only: who answers, with which settings, and what differs from the target's file."
    ),
    "probe": Entry("probing", "Ask a server for a few tokens and show what its stream is made of; nothing else."),
    "adopt": Entry("adopting", "Draft a target's file from the script that starts a server; the script is never run."),
    "start": Entry("production", "Start production under the guardian and prove that it answers."),
    "stop": Entry("production", "Stop a run, which brings production back; or stop production, which stays down."),
    "restore": Entry("production", "Bring production back after harness and guardian both died; safe to repeat."),
    "unit": Entry(
        "production",
        "Print the systemd unit that brings production back after a reboot, or after harness and guardian both died.",
    ),
    "doctor": Entry("doctor", "Check this machine and the workspace's targets."),
    "version": Entry("version", "Print the version."),
}


class Subcommands(TyperGroup):
    """Lists every subcommand from the table above and loads one when it was typed."""

    def __init__(self, **attributes: Any) -> None:
        """Begin with a name and a line for each."""
        super().__init__(**attributes)
        self.commands = {name: TyperCommand(name, help=entry.line) for name, entry in COMMANDS.items()}

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The subcommand that was typed, its module loaded."""
        if args and args[0] in COMMANDS:
            self.load(args[0])
        return super().resolve_command(ctx, args)

    def load_all(self) -> None:
        """Every subcommand as it is, for whoever describes them all."""
        for name in COMMANDS:
            self.load(name)

    def load(self, name: str) -> TyperCommand:
        """Put the real subcommand in its place. Raises KeyError for an unknown name."""
        with silently_interruptible():
            module = import_module(f"harness.cli.{COMMANDS[name].module}")
        made = made_of(module.commands)
        command = made.commands[name] if isinstance(made, TyperGroup) else made
        if not isinstance(command, TyperCommand):
            raise TypeError(f"harness {name} is no plain command")
        self.commands[name] = command
        return command


app = typer.Typer(
    cls=Subcommands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Measure arms on a real server between runs of the production baseline; production always comes back.",
)


@app.callback()
def group() -> None:
    """Nothing of its own: a group needs a function to hang its help on."""


def main() -> None:
    """Entry point of the console script."""
    guarded_main(app)
