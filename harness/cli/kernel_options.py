"""Arguments that the subcommands of `harness kernel` share, and how wide their tables are."""

import os
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from harness.account import account_home
from harness.cli.speak import out
from harness.kernels.cubin_cache import CubinCache

WIDTH = 150

FOLDER = Annotated[Path, typer.Argument(metavar="FOLDER", help="the task's folder, with task.toml")]
ARMS = Annotated[list[str] | None, typer.Option("--arm", help="only this arm; may be given several times")]
SEED = Annotated[int | None, typer.Option(min=0, help="seed of inputs and order; a new one each time if none")]
TRUSTED = Annotated[bool, typer.Option("--unconfined", help="compile and run with your own rights: your own code only")]
JSON = Annotated[bool, typer.Option("--json", help="as JSON")]


def cubin_cache() -> CubinCache:
    """Where cubins of this user are kept: below XDG_CACHE_HOME, or ~/.cache."""
    told = os.environ.get("XDG_CACHE_HOME", "")
    home = os.environ.get("HOME") or account_home()
    return CubinCache((Path(told) if told else Path(home) / ".cache") / "committee" / "cubins")


def show_wide(table: Table) -> None:
    """Never narrower than its words need: in a pipe a cut word helps nobody."""
    Console(width=max(out.width, WIDTH)).print(table)
