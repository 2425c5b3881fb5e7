"""`committee review|brief`: asking the reviewers, and reading what became of it."""

import secrets
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from committee.brief.unfuse import unfused, write_unfused
from committee.cli.desk import open_desk, progress_console, relative
from committee.cli.display import RunDisplay
from committee.cli.reviewing_several import review_several
from committee.cli.running import said_begun
from committee.cli.workspaces import ProposalArgument, WorkspaceOption
from committee.proposals.check import check, passes
from committee.proposals.folder import load
from committee.proposals.revision import freeze
from committee.review.leaving import Lookout, said_beside_prompt
from committee.review.ordering import NONCE_BYTES, order_for
from committee.review.rounds import ASKED_KINDS, bare
from committee.vocabulary.config import read_config
from committee.workflow.frozen import subject_of, verdicts_of
from committee.workflow.graph import RunResult, start
from committee.workflow.state import Stage
from committee.workspace import Workspace
from harness.cli.speak import GOOD, NEGATIVE, fail, out, print_json, run_interruptible, say, say_text
from harness.cli.terminal import shown
from ledger.entries import Brief

commands = typer.Typer(add_completion=False)


ProposalsArgument = Annotated[list[str], typer.Argument(help="ids, numbers, slugs or folders of proposals")]


@commands.command("review")
def review(
    proposals: ProposalsArgument,
    workspace: WorkspaceOption = None,
    dry_run: Annotated[bool, typer.Option(help="print the bytes that would leave this machine, send nothing")] = False,
    differential: Annotated[bool, typer.Option(help="ask again without comments, and flag what differs")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="as JSON")] = False,
) -> None:
    """Ask every reviewer at once and write the brief."""
    place = Workspace.find(workspace)
    if dry_run:
        for proposal in proposals:
            _print_leaving(place, proposal, differential=differential)
        raise typer.Exit(GOOD)
    if len(proposals) > 1:
        review_several(place, proposals, differential=differential, as_json=as_json)
    name = place.proposal_folder(proposals[0]).name
    with open_desk(place, RunDisplay(progress_console(as_json=as_json))) as desk:
        head = desk.ledger.head()
        desk = replace(desk, differential=differential)  # noqa: PLW2901 - the same desk, told what was asked
        result = run_interruptible(start(desk, name, Stage.BRIEF), lambda: said_begun(desk.ledger, name, head))
    _say(place, name, result, as_json=as_json)


def _say(place: Workspace, proposal: str, result: RunResult, *, as_json: bool) -> None:
    if as_json:
        print_json({"run": result.run, "seats": result.seats, "arms": result.arms, "ended": result.ended})
        raise typer.Exit(result.exit_code)
    if result.ended:
        raise fail(f"{result.ended} (run {result.run})")
    brief = relative(place, place.proposal_folder(proposal) / "brief.md")
    say(f"run {result.run}: {len(result.arms)} arms to measure; read {brief}")
    say(f"go on with: committee resume {result.run}")


def _print_leaving(place: Workspace, name: str, *, differential: bool) -> None:
    """All that would be sent, but for the random nonce and boundary, which are drawn anew each time.

    A second look is not among it: what it shows is not known before the first answers.
    """
    folder = place.proposal_folder(name)
    loaded, revision = load(folder), freeze(folder)
    target, _ = place.target(loaded.header.target)
    header = loaded.header
    with place.ledger() as ledger:
        if not passes(check(loaded, revision, target, ledger)):
            raise fail(f"{header.id!r} does not pass `committee check {header.id}`; nothing would be sent")
        subject = subject_of(revision, loaded, target, verdicts_of(ledger, target.name))
    config = read_config(place.config_path)
    leaving = Lookout().refusal(subject, config.reviewer, config.review.language)
    if leaving:
        raise fail(leaving)
    without = replace(subject, revision=bare(subject.revision))
    asked = [(reviewer, subject, "") for reviewer in config.reviewer]
    if differential:
        asked += [(one, without, ", without comments") for one in config.reviewer if one.kind in ASKED_KINDS]
    for reviewer, seen, which in asked:
        order = order_for(seen, reviewer, secrets.token_hex(NONCE_BYTES), config.review.language)
        say(f"--- to {order.reviewer.name} ({order.reviewer.shown_as}{which}) ---", style="bold")
        say_text(order.prompt)
        say_text(said_beside_prompt(order))


@commands.command("brief")
def brief(
    proposal: ProposalArgument,
    workspace: WorkspaceOption = None,
    html: Annotated[bool, typer.Option(help="the HTML page instead of Markdown")] = False,
    unfuse: Annotated[Path | None, typer.Option(help="write each review as received into this new folder")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="as JSON")] = False,
) -> None:
    """Print the newest brief of a proposal, from the ledger."""
    place = Workspace.find(workspace)
    name = place.proposal_folder(proposal).name
    with place.ledger() as ledger:
        found = ledger.of(Brief, proposal=name)
        if not found:
            raise fail(f"{name!r} has no brief yet; run `committee review {name}`", NEGATIVE)
        newest = found[-1][1]
        if unfuse is not None:
            reviews = unfused(ledger, newest)
            for path in write_unfused(unfuse, reviews):
                say(f"wrote {path}")
            raise typer.Exit(GOOD)
        text = ledger.read_blob((newest.html if html else newest.markdown).sha256).decode()
    if as_json:
        print_json(newest.as_json() | {"text": text})
    else:
        out.file.write(shown(text))
