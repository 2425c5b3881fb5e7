"""The `committee` command and its subcommands, gathered."""

import typer

from committee.cli import (
    deciding,
    demonstrating,
    examining,
    looking_back,
    noting,
    record,
    reviewing,
    running,
    workspaces,
)
from harness.cli.speak import guarded_main

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Reviewers propose, the harness disposes, the ledger remembers.",
)
app.command("init")(workspaces.init)
app.command("new")(workspaces.new)
app.command("check")(workspaces.check)
app.command("review")(reviewing.review)
app.command("brief")(reviewing.brief)
app.command("measure")(deciding.measure)
app.command("rank")(deciding.rank)
app.command("accept")(deciding.accept)
app.command("park")(noting.park)
app.command("decline")(noting.decline)
app.command("run")(running.run)
app.command("resume")(running.resume)
app.command("costs")(looking_back.costs)
app.command("reviewers")(looking_back.reviewers)
app.command("replay")(looking_back.replay)
app.command("log")(record.log)
app.command("show")(record.show)
app.command("verify")(record.verify)
app.command("report")(record.report)
app.command("doctor")(examining.doctor)
app.command("demo")(demonstrating.demo)


def main() -> None:
    """Entry point of the console script."""
    guarded_main(app)
