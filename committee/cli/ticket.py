"""`committee ticket`: what an acceptance is bound to, and whether every part of it is still as it was."""

from typing import Annotated

import typer

from committee.accept.naming import NoneAccepted, acceptance_named
from committee.accept.signature import seal_of
from committee.accept.ticket import Checked, check, short, ticket_of
from committee.cli.workspaces import WorkspaceOption
from committee.workspace import Workspace
from harness.cli.speak import GOOD, NEGATIVE, fail, print_json, say
from ledger.in_force import Decided

commands = typer.Typer(add_completion=False)

Acceptance = Annotated[
    str, typer.Argument(metavar="ACCEPTANCE|PROPOSAL|TARGET", help="an acceptance's number or id, a proposal, a target")
]


@commands.command("ticket")
def ticket(
    acceptance: Acceptance,
    workspace: WorkspaceOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="as JSON")] = False,
) -> None:
    """Show an acceptance's ticket and check it now; exit 1 where it has expired, with what changed."""
    place = Workspace.find(workspace)
    with place.ledger() as ledger:
        decided = acceptance_named(place, ledger, acceptance)
        if isinstance(decided, NoneAccepted):
            raise fail(decided.sentence)
        found = ticket_of(ledger, decided[0].id)
        if found is None:
            raise fail(without_ticket(decided))
        checked = check(place, ledger, decided, found)
        if as_json:
            print_json(_plain(place, decided, checked))
        else:
            _show(place, decided, checked)
    raise typer.Exit(GOOD if checked.holds else NEGATIVE)


def without_ticket(decided: Decided) -> str:
    """One sentence for an acceptance that has none."""
    entry, accepted = decided
    return (
        f"acceptance #{entry.seq} of {accepted.arm_name!r} has no ticket: it was made before there were tickets, or "
        "its commit failed; accept the arm again, or measure it again first"
    )


def _show(place: Workspace, decided: Decided, checked: Checked) -> None:
    entry, accepted = decided
    seal = seal_of(place.folder, entry)
    say(f"ticket {checked.ticket.sha256[:12]} of acceptance #{entry.seq}: {accepted.arm_name} for {accepted.target}")
    say(f"  {seal.words if seal else 'no commit here pins this acceptance'}")
    for part in checked.ticket.parts:
        say(f"  {part.name}: {short(part.value)}")
    for name in checked.unbound:
        say(f"  {name} could not be seen when it was written, so no change of it is noticed", style="yellow")
    for sentence in checked.expired:
        say(f"EXPIRED: {sentence}", style="red")
    if checked.holds:
        say("It holds: nothing it binds has changed.", style="green")


def _plain(place: Workspace, decided: Decided, checked: Checked) -> dict[str, object]:
    entry, accepted = decided
    seal = seal_of(place.folder, entry)
    return {
        "acceptance": {"seq": entry.seq, "id": entry.id, "arm": accepted.arm, "arm_name": accepted.arm_name},
        "target": accepted.target,
        "ticket": checked.ticket.sha256,
        "holds": checked.holds,
        "expired": list(checked.expired),
        "unbound": list(checked.unbound),
        "parts": {part.name: part.value for part in checked.ticket.parts},
        "commit": seal.as_json() if seal else None,
    }
