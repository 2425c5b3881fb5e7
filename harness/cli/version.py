"""`harness version`."""

import typer

from harness import __version__
from harness.cli.speak import out

commands = typer.Typer()


@commands.command("version")
def version() -> None:
    """Print the version."""
    out.print(__version__, highlight=False)
