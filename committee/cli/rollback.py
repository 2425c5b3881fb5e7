"""`committee rollback`: one acceptance back, decided by a person, committed, and put on the target."""

from dataclasses import replace
from typing import Annotated

import typer

from committee.cli.consenting import ask_consent, put_and_say, say_open
from committee.cli.terms import UsersAcceptOption, WhenBusyOption, YesOption
from committee.cli.workspaces import WorkspaceOption
from committee.deploy.deploying import Wanted, expired, wanted
from committee.deploy.rolling_back import Kept, complaints, next_step, roll_back, target_after
from committee.workspace import Workspace
from harness.cli.speak import USAGE, fail, say
from harness.workflow.drain import Politeness, WhenBusy

commands = typer.Typer(add_completion=False)


@commands.command("rollback")
def rollback(
    target: Annotated[str, typer.Argument(help="name of the target")],
    reason: Annotated[str, typer.Option(help="why, in your own words")],
    when_busy: WhenBusyOption = WhenBusy.REFUSE,
    users_accept: UsersAcceptOption = False,
    yes: YesOption = False,
    person: Annotated[str | None, typer.Option(help="who decides; default: you on this machine")] = None,
    workspace: WorkspaceOption = None,
) -> None:
    """Go back to the baseline before the acceptance in force: a decision of its own, a commit, and a deployment."""
    place = Workspace.find(workspace)
    place.target(target)
    with place.ledger() as ledger:
        who = person or ledger.actor
        if said := "; ".join(complaints(reason, who)):
            raise fail(said, USAGE)
        step = next_step(ledger, target)
        if isinstance(step, str):
            raise fail(step)
        if step.begun:
            say(f"rollback #{step.begun[0].seq} to {step.words} is on record and not carried out; it goes on")
        ask_consent(place, ledger, Wanted(target_after(place, ledger, step), step.back_to, None, who), yes=yes)
        outcome = roll_back(place, ledger, step, reason, who)
        if not isinstance(outcome, Kept):
            raise fail("; ".join(outcome))
        say(f"{target} goes back from {step.leaves[1].arm_name} to {step.words}; {outcome.words}")
        want = wanted(place, ledger, target, who)
        say_open(place, ledger, want)
        if note := expired(place, ledger, want):  # going back is not refused for that; it is said
            say(f"note: {note}", style="yellow")
            want = replace(want, noted=note)
        put_and_say(place, ledger, want, Politeness(when_busy, users_accept=users_accept))
