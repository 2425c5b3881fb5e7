"""`committee watch`: the accepted arm measured again against the baseline before it, now or each night in a window."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

import typer

from committee.cli.desk import complete, progress_console, run_files, said_stopped
from committee.cli.display import RunDisplay
from committee.cli.terms import UsersAcceptOption, WhenBusyOption, YesOption
from committee.cli.workspaces import WorkspaceOption
from committee.deploy.watching import file_look, order_of
from committee.measure import begins, measure
from committee.workspace import Workspace
from harness.cli.consent import ask, say_cost
from harness.cli.place import Place
from harness.cli.speak import GOOD, NEGATIVE, fail, print_json, run_interruptible, say
from harness.vocabulary.base import BadFileError
from harness.workflow.detached import Terms
from harness.workflow.drain import Politeness, WhenBusy
from harness.workflow.night import Hours
from harness.workflow.order import Order
from ledger.entries import Watch
from ledger.in_force import course_of
from ledger.store import Ledger

commands = typer.Typer(add_completion=False)


@dataclass
class Looking:
    """One command: one look, or one in each window until it is stopped."""

    place: Workspace
    ledger: Ledger
    target: str
    terms: Terms
    as_json: bool
    asked: Order | None = None  # of the first look, to which a person has said yes
    run: str = ""  # of the look that is under way

    async def looks(self, said: Callable[[Watch | str], None]) -> Watch | str:
        """Look, say it, and wait for the next window where there is to be another look."""
        while True:
            outcome = await self._look()
            if self.terms.hours.window is None or self.terms.hours.once:
                return outcome
            said(outcome)
            await asyncio.sleep(max(1.0, self.terms.hours.open_s()))

    async def _look(self) -> Watch | str:
        """What one run says about the acceptance in force, filed; or the sentence that says why it says nothing."""
        decided = course_of(self.ledger, self.target).now
        if decided is None:
            return nothing_in_force(self.target)
        if self.asked is None:  # a later night: the first one's yes holds for each of them
            order = order_of(self.place, self.ledger, decided)
            say_cost(order, self.terms.hours, silent=self.as_json)
        else:
            order, self.asked = self.asked, None
        self.run = order.run
        with RunDisplay(progress_console(as_json=self.as_json)) as display:
            files = run_files(self.place, order.run)
            words = (*self.terms.words, "--yes")
            ended = await measure(self.place.folder, order, files, self.ledger, display.measuring, words)
        if not complete(ended):
            return f"nothing is filed: {ended.sentence} (run {order.run})"
        return file_look(self.ledger, decided, order.run)


def nothing_in_force(target: str) -> str:
    """One sentence for a target that was never accepted for, or went back to its own file."""
    return f"nothing accepted is in force on {target!r}, so there is nothing to look at again"


@commands.command("watch")
def watch(
    target: Annotated[str, typer.Argument(help="name of the target")],
    window: Annotated[str, typer.Option(help="hours of that machine's clock, e.g. 02:00-06:00; default: now")] = "",
    once: Annotated[bool, typer.Option("--once", help="one look, instead of one in each window")] = False,
    when_busy: WhenBusyOption = WhenBusy.REFUSE,
    users_accept: UsersAcceptOption = False,
    yes: YesOption = False,
    workspace: WorkspaceOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="as JSON")] = False,
) -> None:
    """Measure the accepted arm again against the baseline before it; exit 1 where that overturns the acceptance.

    It asks before production is taken down, once for all nights of a window; a timer says --yes.
    """
    place = Workspace.find(workspace)
    place.target(target)
    if as_json and window and not once:
        raise BadFileError("--json says one look; add --once, or leave one of the two away")
    terms = Terms(Hours.of(window, once and bool(window)), Politeness(when_busy, users_accept=users_accept))
    with place.ledger() as ledger:
        decided = course_of(ledger, target).now
        if decided is None:
            raise fail(nothing_in_force(target))
        order = order_of(place, ledger, decided)
        if begins(place.folder, order, ledger):
            ask(Place(place.folder), order, terms, yes=yes, silent=as_json)
        looking = Looking(place, ledger, target, terms, as_json, order)
        outcome = run_interruptible(looking.looks(_say), lambda: _stopped(looking))
        if isinstance(outcome, str):
            raise fail(outcome)
        if as_json:
            print_json(outcome.as_json())
        else:
            _say(outcome)
    raise typer.Exit(NEGATIVE if outcome.outcome == "overturned" else GOOD)


def _stopped(looking: Looking) -> str:
    if not looking.run:
        return "stopped by a person"
    return said_stopped(looking.ledger, looking.run, f"committee watch {looking.target}")


def _say(outcome: Watch | str) -> None:
    if isinstance(outcome, str):
        say(outcome, style="yellow")
    elif outcome.outcome == "held":
        say(f"held: {outcome.arm_name} on {outcome.target}: {outcome.detail} (run {outcome.run})")
    else:
        say(f"OVERTURNED: {outcome.arm_name} on {outcome.target}: {outcome.detail} (run {outcome.run})", style="red")
        say(
            f"it stays in force until a person decides: committee rollback {outcome.target} --reason WORDS, "
            "or strike the mark (`committee show` names it)"
        )
