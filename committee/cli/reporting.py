"""`committee report`: the page of lines and dated entries."""

from pathlib import Path
from typing import Annotated

import typer

from committee.cli.outlook import outlook_of
from committee.cli.workspaces import WorkspaceOption
from committee.report import build
from committee.vocabulary.config import read_config
from committee.vocabulary.language import Language, shipped
from committee.workspace import Workspace
from harness.cli.speak import say

commands = typer.Typer()


@commands.command("report")
def report(
    workspace: WorkspaceOption = None,
    output: Annotated[Path | None, typer.Option(help="where to write; default: report.html in the workspace")] = None,
    language: Annotated[
        Language | None, typer.Option(help="of the report's own words; default: committee.toml's review language")
    ] = None,
) -> None:
    """Write the page of lines and dated entries."""
    place = Workspace.find(workspace)
    target = output or place.folder / "report.html"
    spoken = language or shipped(read_config(place.config_path).review.language)
    with place.ledger() as ledger:
        target.write_text(build(ledger, outlook_of(place, ledger), spoken), encoding="utf-8")
    say(f"wrote {target}")
