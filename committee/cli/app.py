"""The `committee` command and its subcommands, gathered."""

import typer

from committee.cli import deciding, demonstrating, examining, record, reviewing, running, workspaces
from harness.cli.speak import guarded_main

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Reviewers propose, the harness disposes, the ledger remembers.",
)
for name, command in (
    ("init", workspaces.init),
    ("new", workspaces.new),
    ("check", workspaces.check),
    ("review", reviewing.review),
    ("brief", reviewing.brief),
    ("measure", deciding.measure),
    ("rank", deciding.rank),
    ("accept", deciding.accept),
    ("run", running.run),
    ("resume", running.resume),
    ("log", record.log),
    ("show", record.show),
    ("verify", record.verify),
    ("report", record.report),
    ("doctor", examining.doctor),
    ("demo", demonstrating.demo),
):
    app.command(name)(command)


def main() -> None:
    """Entry point of the console script."""
    guarded_main(app)
