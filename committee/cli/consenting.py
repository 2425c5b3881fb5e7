"""Before production is taken away, on the command line: what is open, the downtime, a person's yes, how it ended."""

import asyncio
import sys
from dataclasses import replace

import typer

from committee.cli.terms import Given
from committee.deploy.deploying import Attempt, Wanted, away_s, look, put, settle
from committee.measure import begins
from committee.workspace import Workspace
from harness.cli.consent import ask
from harness.cli.place import Place
from harness.cli.speak import NEGATIVE, Failure, fail, run_interruptible, say
from harness.vocabulary.base import BadFileError
from harness.workflow.drain import Politeness
from harness.workflow.order import Order
from ledger.store import Ledger


def say_open(place: Workspace, ledger: Ledger, want: Wanted) -> None:
    """Give an attempt that was killed its end and say it. Raises typer.Exit where that, or production, comes first."""
    found = asyncio.run(settle(place, ledger, want))
    if isinstance(found, str):
        raise fail(found)
    if found is None:
        return
    say(f"deployment {found.deployment} {found.outcome}: {found.detail}", style="yellow")


def ask_measuring(place: Workspace, ledger: Ledger, order: Order, given: Given, *, silent: bool) -> Given:
    """What `harness measure` asks before production stops, and the terms with the yes. Raises BadFileError, typer.Exit.

    Nothing is asked for a run that is at its end already, or under way: it has been asked for.
    """
    if begins(place.folder, order, ledger):
        ask(Place(place.folder), order, given.terms, yes=given.yes, silent=silent)
    return replace(given, yes=True)


def ask_consent(place: Workspace, ledger: Ledger, want: Wanted, *, yes: bool, stops: bool | None = None) -> None:
    """State the downtime and have it confirmed, where production would be stopped. Raises BadFileError, typer.Exit.

    `stops` says so where that is known; otherwise production is looked at.
    """
    if not (asyncio.run(look(place, want)) if stops is None else stops):
        return
    say(
        f"Production of {want.target.name} is away for about {away_s(ledger, want):.1f} s while it starts with "
        f"{want.words}; about twice as long if that does not hold and the former baseline is put back."
    )
    if yes:
        return
    if not sys.stdin.isatty():
        raise BadFileError(
            f"production of {want.target.name!r} would be taken down for that time; say --yes if that may be"
        )
    if not typer.confirm("May production be taken down for that time?"):
        raise fail("Nothing was stopped.", NEGATIVE)


def put_and_say(place: Workspace, ledger: Ledger, want: Wanted, polite: Politeness) -> None:
    """Put the baseline on its target and say how that ended. Raises typer.Exit unless it is deployed."""
    attempt = run_interruptible(put(place, ledger, want, polite, say))
    ended = attempt.ended
    if ended.outcome != "deployed":
        raise not_deployed(want, attempt)
    say(f"deployed {want.words}: {ended.detail}; production was away for {ended.away_s or 0:.1f} s")


def not_deployed(want: Wanted, attempt: Attempt) -> Failure:
    """The end of a command whose attempt did not succeed: after a person's stop a mere stop where production is up."""
    return fail(f"{want.words} is not deployed: {attempt.ended.detail}", stands=not attempt.up)
