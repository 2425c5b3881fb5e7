"""`committee report`: the page of lines and dated entries, or a small site of pages."""

from pathlib import Path
from typing import Annotated

import typer

from committee.cli.outlook import outlook_of
from committee.cli.workspaces import WorkspaceOption
from committee.report import build
from committee.report.site import SiteError, write_site
from committee.score.reviewer_pages import reviewer_contents
from committee.vocabulary.config import read_config
from committee.vocabulary.language import Language, shipped
from committee.workspace import Workspace
from harness.cli.speak import say
from harness.vocabulary.base import BadFileError

commands = typer.Typer(add_completion=False)


@commands.command("report")
def report(
    workspace: WorkspaceOption = None,
    output: Annotated[
        Path | None, typer.Option(help="where to write the page; default: report.html in the workspace")
    ] = None,
    site: Annotated[
        Path | None, typer.Option(help="bring a site of pages in this folder up to date, instead of the one page")
    ] = None,
    language: Annotated[
        Language | None, typer.Option(help="of the report's own words; default: committee.toml's review language")
    ] = None,
) -> None:
    """Write the page of lines and dated entries, or with --site a page for every proposal, target, setting and run."""
    place = Workspace.find(workspace)
    spoken = language or shipped(read_config(place.config_path).review.language)
    with place.ledger() as ledger:
        outlook = outlook_of(place, ledger)
        if site is not None:
            try:
                done = write_site(ledger, site, spoken, outlook, reviewer_contents)
            except SiteError as error:
                raise BadFileError(str(error)) from error
            say(f"{site / 'index.html'}: {done.made} pages written, {done.kept} as they were, {done.removed} removed")
        if site is None or output is not None:
            target = output or place.folder / "report.html"
            target.write_text(build(ledger, outlook, spoken), encoding="utf-8")
            say(f"wrote {target}")
