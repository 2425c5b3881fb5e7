"""The `harness` command and its subcommands, gathered."""

import typer

from harness import __version__
from harness.cli import doctor, measure, production, targets
from harness.cli.speak import guarded_main, out

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Measure arms on a real server between runs of the production baseline; production always comes back.",
)
app.command("measure")(measure.measure)
app.command("targets")(targets.targets)
app.command("attest")(production.attest)
app.command("start")(production.start)
app.command("stop")(production.stop)
app.command("restore")(production.restore)
app.command("doctor")(doctor.doctor)


@app.command("version")
def version() -> None:
    """Print the version."""
    out.print(__version__, highlight=False)


def main() -> None:
    """Entry point of the console script."""
    guarded_main(app)
