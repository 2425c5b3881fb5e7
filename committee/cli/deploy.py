"""`committee deploy`: an acceptance whose ticket holds onto its target, or the sentence that says why not."""

from typing import Annotated

import typer

from committee.accept.naming import NoneAccepted, acceptance_named
from committee.cli.consenting import ask_consent, put_and_say, say_open
from committee.cli.terms import UsersAcceptOption, WhenBusyOption, YesOption
from committee.cli.workspaces import WorkspaceOption
from committee.deploy.deploying import expired, refuse, wanted
from committee.workspace import Workspace
from harness.cli.speak import fail
from harness.vocabulary.base import BadFileError
from harness.workflow.drain import Politeness, WhenBusy

commands = typer.Typer(add_completion=False)


@commands.command("deploy")
def deploy(
    acceptance: Annotated[
        str, typer.Argument(metavar="ACCEPTANCE|PROPOSAL", help="an acceptance's number or id, or a proposal")
    ],
    target: Annotated[str | None, typer.Option(help="must be its target; a safeguard in scripts")] = None,
    when_busy: WhenBusyOption = WhenBusy.REFUSE,
    users_accept: UsersAcceptOption = False,
    yes: YesOption = False,
    person: Annotated[str | None, typer.Option(help="who deploys; default: you on this machine")] = None,
    workspace: WorkspaceOption = None,
) -> None:
    """Put an acceptance on its target: kept through its gates and as attested, else the former baseline is back."""
    place = Workspace.find(workspace)
    with place.ledger() as ledger:
        decided = acceptance_named(place, ledger, acceptance)
        if isinstance(decided, NoneAccepted):
            raise fail(decided.sentence)
        entry, accepted = decided
        if target not in (None, accepted.target):
            raise BadFileError(f"acceptance #{entry.seq} is for target {accepted.target!r}, not {target!r}")
        now = wanted(place, ledger, accepted.target, person or ledger.actor)
        say_open(place, ledger, now)
        if now.decided is None or now.decided[0].id != entry.id:
            raise fail(
                f"acceptance #{entry.seq} of {accepted.arm_name!r} is not in force on {accepted.target!r}, "
                f"{now.words} is; go back with `committee rollback {accepted.target} --reason WORDS`"
            )
        if said := expired(place, ledger, now):
            raise fail(refuse(ledger, now, said).detail)
        ask_consent(place, ledger, now, yes=yes)
        put_and_say(place, ledger, now, Politeness(when_busy, users_accept=users_accept))
