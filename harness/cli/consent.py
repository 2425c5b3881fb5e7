"""What a measurement costs, shown, and a person's yes to it, before anything stops."""

import asyncio
import sys

import typer

from harness.cli.place import Place
from harness.cli.speak import NEGATIVE, fail, say
from harness.hosts.connection import GuardianError
from harness.vocabulary.base import BadFileError
from harness.vocabulary.target import Target
from harness.workflow.carrier import onlooker
from harness.workflow.detached import Terms
from harness.workflow.drain import WhenBusy, in_use, load_of, unasked
from harness.workflow.night import Hours, cost_of
from harness.workflow.order import Order
from harness.workflow.production import state_dir, states_of
from harness.workflow.stricter import stricter_than_accepted
from harness.workflow.way_up import why_not_measured
from harness.workflow.window import at_clock


def cost_lines(order: Order, hours: Hours) -> tuple[str, ...]:
    """Downtime for each block and in total, and how it falls into windows. Raises BadFileError where it does not."""
    cost = cost_of(order)
    lines = [
        f"Production of {order.target.name} is away for about {cost.block_s / 60:.1f} minutes a block, "
        f"{cost.blocks} blocks, {cost.total_s / 60:.1f} minutes in total at most, its own start included."
    ]
    if hours.window:
        count = cost.in_windows(hours.window)
        shut_s = hours.shut_s()  # asked before the clock is, so that the sum is not a moment too early
        first = f"the next one opens {at_clock(hours.now() + shut_s)}" if shut_s else "it is open now"
        lines.append(
            f"That takes {count} windows of {hours.window}, {first}; between them production is up."
            if count > 1
            else f"That fits into one window of {hours.window}; {first}."
        )
    return tuple(lines)


def say_cost(order: Order, hours: Hours, *, silent: bool) -> None:
    """Print it. Raises BadFileError where a block fits into no window."""
    for line in cost_lines(order, hours):
        if not silent:
            say(line)


def ask(place: Place, order: Order, terms: Terms, *, yes: bool, silent: bool) -> None:
    """Refuse while users are on or cannot be counted, then show the downtime and have it confirmed.

    Nothing is asked where no production would be stopped. Raises BadFileError, or typer.Exit for a no.
    """
    if not terms.stricter:
        with place.ledger() as ledger:
            said = stricter_than_accepted(ledger, order)
        if said:
            raise fail(said)  # a gate that the accepted baseline has not passed needs a person's word (lesson R3c)
    say_cost(order, terms.hours, silent=silent)
    stops, refusal = asyncio.run(_looked(place, order, terms))
    if refusal:
        raise fail(refusal)
    if stops and not yes:
        _confirm(order.target.name)


def foresee(place: Place, target: Target, *, yes: bool) -> None:
    """Before anything that costs. Raises BadFileError where production would be stopped and nobody could be asked."""
    if not yes and not sys.stdin.isatty() and asyncio.run(_stops(place, target)):
        raise BadFileError(_unasked(target.name))


async def _stops(place: Place, target: Target) -> bool:
    async with onlooker(state_dir(place.folder, target), target) as looking:
        return (await looking.production()).wanted


def never_up(place: Place, target: Target) -> str | None:
    """Why a production that does not run is not measured, by its states on record; none where a person stopped it."""
    with place.looking() as ledger:
        return why_not_measured(target.name, states_of(ledger, target.name) if ledger else ())


def say_foreseen(place: Place, order: Order, *, silent: bool) -> None:
    """What would refuse this run now, beside its plan."""
    said = None if silent or asyncio.run(_runs(place, order.target)) else never_up(place, order.target)
    if said:
        say(f"This run would be refused now: {said}.", style="yellow")


async def _runs(place: Place, target: Target) -> bool:
    try:
        async with onlooker(state_dir(place.folder, target), target) as looking:
            return (await looking.production()).held is not None
    except GuardianError:
        return True  # a plan is shown whether its host can be reached or not


async def _looked(place: Place, order: Order, terms: Terms) -> tuple[bool, str]:
    """Whether there is a production to stop, and why it must not be, as far as that can be known now.

    A wait is left to the run itself.
    """
    target, polite = order.target, terms.politeness
    async with onlooker(state_dir(place.folder, target), target) as looking:
        production = await looking.production()
        if production.held is None:
            return production.wanted, never_up(place, target) or ""
        load = await load_of(target, looking)
    if load is None:
        return True, "" if polite.users_accept else unasked(target.name).sentence
    busy = bool(load.running or load.waiting)
    if busy and terms.hours.window is None and polite.when_busy is WhenBusy.REFUSE:
        return True, in_use(target.name, load).sentence
    return True, ""


def _unasked(name: str) -> str:
    return f"production of {name!r} would be taken down for that time; say --yes if that may be"


def _confirm(name: str) -> None:
    if not sys.stdin.isatty():
        raise BadFileError(_unasked(name))
    if not typer.confirm("May production be taken down for that time?"):
        raise fail("Nothing was stopped.", NEGATIVE)
