"""`committee park|decline`: what a person deliberately left alone, with the reason in their own words."""

from typing import Annotated

import typer

from committee.cli.workspaces import ProposalArgument, WorkspaceOption
from committee.workspace import Workspace
from harness.cli.speak import NEGATIVE, fail, say
from harness.vocabulary.base import BadFileError
from ledger.entries import MeasuringRun, NotApplied, Parked, Verdict

commands = typer.Typer(add_completion=False)

Reason = Annotated[str, typer.Option(help="why, in your own words")]
Person = Annotated[str | None, typer.Option(help="who decides; default: you on this machine")]


@commands.command("park")
def park(
    subject: Annotated[str, typer.Argument(help="what is left alone, in one line")],
    reason: Reason,
    proposal: Annotated[str | None, typer.Option(help="the proposal it came up in")] = None,
    workspace: WorkspaceOption = None,
    person: Person = None,
) -> None:
    """Record that something is not followed up, or not understood; nothing is guessed on."""
    words = _words(subject), _words(reason)
    place = Workspace.find(workspace)
    name = place.proposal_folder(proposal).name if proposal else None
    with place.ledger() as ledger:
        entry = ledger.append(Parked(subject=words[0], proposal=name, reason=words[1], person=person or ledger.actor))
    say(f"parked as entry {entry.seq}")


@commands.command("decline")
def decline(
    proposal: ProposalArgument,
    arm: Annotated[str, typer.Argument(help="name of a measured arm")],
    reason: Reason,
    workspace: WorkspaceOption = None,
    person: Person = None,
) -> None:
    """Record that a measured arm is known and deliberately not applied."""
    said = _words(reason)
    place = Workspace.find(workspace)
    name = place.proposal_folder(proposal).name
    with place.ledger() as ledger:
        found = [
            verdict
            for _, verdict in ledger.of(Verdict, arm_name=arm, primary=True)
            if ledger.of(MeasuringRun, run=verdict.run, proposal=name)
        ]
        if not found:
            raise fail(f"{name!r} has no verdict on an arm {arm!r}; see `committee rank {name}`", NEGATIVE)
        newest = found[-1]
        entry = ledger.append(
            NotApplied(
                arm=newest.arm,
                arm_name=arm,
                target=newest.target,
                run=newest.run,
                reason=said,
                person=person or ledger.actor,
            )
        )
    say(f"{arm} is recorded as not applied on {newest.target}, entry {entry.seq}")


def _words(said: str) -> str:
    """A person's words without surrounding blanks. Raises BadFileError when nothing is left."""
    if not said.strip():
        raise BadFileError("an entry needs words a person can understand later; give them in quotes")
    return said.strip()
