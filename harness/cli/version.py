"""`harness version`, and `--version` of both programs."""

from typing import Annotated

import typer

from harness import __version__
from harness.cli.speak import out

commands = typer.Typer(add_completion=False)


@commands.command("version")
def version() -> None:
    """Print the version."""
    out.print(__version__, highlight=False)


def _and_leave(asked: bool) -> None:
    if asked:
        version()
        raise typer.Exit


VersionOption = Annotated[
    bool, typer.Option("--version", callback=_and_leave, is_eager=True, help="print the version and leave")
]
