"""`committee report`: the page of lines and dated entries."""

from pathlib import Path
from typing import Annotated

import typer

from committee.cli.outlook import outlook_of
from committee.cli.workspaces import WorkspaceOption
from committee.report import build
from committee.workspace import Workspace
from harness.cli.speak import say

commands = typer.Typer()


@commands.command("report")
def report(
    workspace: WorkspaceOption = None,
    output: Annotated[Path | None, typer.Option(help="where to write; default: report.html in the workspace")] = None,
) -> None:
    """Write the page of lines and dated entries."""
    place = Workspace.find(workspace)
    target = output or place.folder / "report.html"
    with place.ledger() as ledger:
        target.write_text(build(ledger, outlook_of(place, ledger)), encoding="utf-8")
    say(f"wrote {target}")
