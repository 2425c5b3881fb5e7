"""The `harness` command. A subcommand's module is loaded when it is typed: looking at the help loads no library."""

import typer

from harness.cli.speak import guarded_main
from harness.cli.subcommands import Entry, Subcommands
from harness.cli.version import VersionOption

COMMANDS: dict[str, Entry] = {
    "measure": Entry("harness.cli.measure", "Measure arms against the baseline, in blocks, and bring production back."),
    "status": Entry("harness.cli.runs", "Look only: how a run is getting on, or what a target and its runs are doing."),
    "attach": Entry("harness.cli.runs", "Watch a run live. Leaving with Ctrl-C does not touch the run."),
    "fetch": Entry("harness.cli.runs", "Bring back what a run has recorded, and say where it is."),
    "show": Entry(
        "harness.cli.showing", "Look only: verdicts, interactions and changed files of a run, from the record alone."
    ),
    "targets": Entry("harness.cli.targets", "List the targets of the workspace."),
    "attest": Entry(
        "harness.cli.production",
        "Look only: who answers, with which settings, and what differs from the target's file.",
    ),
    "probe": Entry(
        "harness.cli.probing", "Ask a server for a few tokens and show what its stream is made of; nothing else."
    ),
    "profile": Entry(
        "harness.cli.profiling",
        "Launch once under a profiler, one file a process, then again without it; production comes back.",
    ),
    "adopt": Entry(
        "harness.cli.adopting", "Draft a target's file from the script that starts a server; the script is never run."
    ),
    "start": Entry("harness.cli.production", "Start production under the guardian and prove that it answers."),
    "stop": Entry(
        "harness.cli.production", "Stop a run, which brings production back; or stop production, which stays down."
    ),
    "restore": Entry(
        "harness.cli.production", "Bring production back after harness and guardian both died; safe to repeat."
    ),
    "unit": Entry(
        "harness.cli.production",
        "Print the systemd unit that brings production back after a reboot, or after harness and guardian both died.",
    ),
    "analyse": Entry(
        "harness.cli.analysing",
        "Calculate on paper what figures imply: speculation, step time, growth, profiles, memory, starts, effects.",
    ),
    "lint": Entry(
        "harness.cli.linting",
        "Hold a target and its arms against rules that need no start: sizes, limits, separators, model file.",
    ),
    "kernel": Entry(
        "harness.cli.kernel", "Compile, prove and compare the kernels of a task folder; no server is touched."
    ),
    "doctor": Entry("harness.cli.doctor", "Check this machine and the workspace's targets."),
    "version": Entry("harness.cli.version", "Print the version."),
}


class Bench(Subcommands):
    """The bench's subcommands."""

    table = COMMANDS


app = typer.Typer(
    cls=Bench,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Measure arms on a real server between runs of the production baseline; production always comes back.",
)


@app.callback()
def group(version: VersionOption = False) -> None:
    """Nothing of its own: a group needs a function to hang its help on."""


def main() -> None:
    """Entry point of the console script."""
    guarded_main(lambda: app(prog_name="harness"))  # also where it was begun as a module
