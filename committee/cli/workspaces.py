"""`committee init|new|check`: a workspace, a proposal in it, and what stands against submitting it."""

import os
import shutil
from pathlib import Path
from typing import Annotated

import typer

from committee.cli.drifting import drift_complaints
from committee.cli.seats import seat_checks
from committee.cli.startable import startable_complaints
from committee.making import FIRST_TARGET
from committee.making import init as make_workspace
from committee.making import new as make_proposal
from committee.making import new_like as make_like
from committee.proposals.check import by_severity, passes
from committee.proposals.check import check as check_proposal
from committee.proposals.complaint import Complaint, error, warning
from committee.proposals.folder import load
from committee.proposals.revision import freeze
from committee.review.budget import Allowance, uncounted
from committee.vocabulary.config import read_config
from committee.vocabulary.proposal import ProposalKind
from committee.workspace import CONFIG, Workspace
from harness.cli.speak import GOOD, NEGATIVE, print_json, say
from harness.vocabulary.base import BadFileError

commands = typer.Typer(add_completion=False)

WorkspaceOption = Annotated[Path | None, typer.Option(help="the workspace; default: the one you are in")]
ProposalArgument = Annotated[str, typer.Argument(help="id, number, slug or folder of the proposal")]
STYLES = {"error": "red", "warning": "yellow", "note": "dim"}


@commands.command("init")
def init(
    folder: Annotated[Path, typer.Argument(help="a new or an empty folder")],
    example: Annotated[bool, typer.Option(help="with the shipped proposal and its recorded reviews")] = False,
) -> None:
    """Make a workspace: a git repository with committee.toml, proposals/, targets/ and kernels/."""
    place = make_workspace(folder, example=example)
    say(f"made {place.folder}; name your reviewers in committee.toml")


@commands.command("new")
def new(
    slug: Annotated[str, typer.Argument(help="lower-case letters, digits and hyphens")],
    kind: Annotated[ProposalKind, typer.Option(help="config or kernel")] = "config",
    target: Annotated[
        str | None, typer.Option(help="the target it is about; default: local-llamacpp, or that of --like")
    ] = None,
    like: Annotated[
        str | None, typer.Option(help="copy a question that ships with this, by number or name, its target too")
    ] = None,
    workspace: WorkspaceOption = None,
) -> None:
    """Make the next numbered proposal from a template, or as a copy of a question that ships with this."""
    place = Workspace.find(workspace)
    if like is not None:
        made = make_like(place, slug, like, target)
        say(f"made {made}, as it ships; read it, make it yours, then run `committee check {made.name}`")
        return
    made = make_proposal(place, slug, kind, target or FIRST_TARGET)
    say(f"made {made}; fill in proposal.toml, PROPOSAL.md and criteria.toml, then run `committee check {made.name}`")


@commands.command("check")
def check(
    proposal: ProposalArgument,
    workspace: WorkspaceOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="as JSON")] = False,
) -> None:
    """Everything that stands against submitting a proposal, before anything is paid."""
    place = Workspace.find(workspace)
    folder = place.proposal_folder(proposal)
    loaded, revision = load(folder), freeze(folder)
    target, _ = place.target(loaded.header.target)
    with place.ledger() as ledger:
        checked = check_proposal(loaded, revision, target, ledger)
    there = startable_complaints(place, loaded, target)
    found = by_severity(
        (*_settings(place, loaded.header.budget.money), *checked, *there, *drift_complaints(place, revision, target))
    )
    if as_json:
        print_json(
            {
                "proposal": revision.proposal,
                "tree": revision.tree,
                "passes": passes(found),
                "findings": [{"severity": c.severity, "where": c.where, "sentence": c.sentence} for c in found],
            }
        )
    else:
        for c in found:
            line = f"{c.severity}: {c.where}: {c.sentence}"
            say(line, style=STYLES[c.severity])
        state = "may be submitted" if passes(found) else "may NOT be submitted"
        say(f"{revision.proposal} at revision {revision.tree[:12]} {state}")
    raise typer.Exit(GOOD if passes(found) else NEGATIVE)


def _settings(place: Workspace, money: float) -> list[Complaint]:
    """What stands against asking the reviewers of committee.toml: an error where nobody would be asked.

    `money` is the proposal's budget, which counts only what has a price.
    """
    try:
        config = read_config(place.config_path)
    except BadFileError as bad:
        return [error(CONFIG, str(bad))]
    needs = seat_checks(config, os.environ, shutil.which("bwrap"))
    found = [warning(CONFIG, f"{name}: {detail}") for name, good, detail in needs if not good]
    limits = (Allowance("the proposal's", money), Allowance("the workspace's", config.budget.money))
    said = uncounted(config.reviewer, limits)
    return [*found, error(CONFIG, said)] if said else found
