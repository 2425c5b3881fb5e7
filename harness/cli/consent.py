"""What a measurement costs, shown, and a person's yes to it, before anything stops."""

import asyncio
import sys
from dataclasses import dataclass, replace

import typer

from harness.cli.place import Place
from harness.cli.speak import NEGATIVE, fail, say
from harness.hosts.connection import GuardianError
from harness.hosts.onlooker import Onlooker
from harness.vocabulary.base import BadFileError
from harness.vocabulary.target import Target
from harness.workflow.carrier import onlooker
from harness.workflow.detached import Terms
from harness.workflow.drain import Load, WhenBusy, in_use, load_asked, uncounted
from harness.workflow.night import Hours, cost_of
from harness.workflow.not_running import left_as_found, served_by_others
from harness.workflow.order import Order
from harness.workflow.production import state_dir, states_of
from harness.workflow.stricter import stricter_than_accepted
from harness.workflow.way_up import why_not_measured
from harness.workflow.window import at_clock


@dataclass(frozen=True)
class Found:
    """Production as it was found before a run: whether it runs, whether the run would stop it, and what refuses it."""

    runs: bool
    stops: bool
    refusal: str = ""


def cost_lines(order: Order, hours: Hours, *, stops: bool = True) -> tuple[str, ...]:
    """Downtime for each block and in total, and how it falls into windows. Raises BadFileError where it does not.

    `stops`: whether there is a production that goes down for it; else it is only time on the machine.
    """
    cost, name = cost_of(order), order.target.name
    spent = f"about {cost.block_s / 60:.1f} minutes a block, {cost.blocks} blocks, "
    lines = [
        f"Production of {name} is away for {spent}{cost.total_s / 60:.1f} minutes in total at most, its own start "
        "included."
        if stops
        else f"The run takes {spent}{(cost.total_s - cost.return_s) / 60:.1f} minutes in total at most."
    ]
    if hours.window:
        count = cost.in_windows(hours.window)
        shut_s = hours.shut_s()  # asked before the clock is, so that the sum is not a moment too early
        first = f"the next one opens {at_clock(hours.now() + shut_s)}" if shut_s else "it is open now"
        between = "; between them production is up" if stops else ""
        lines.append(
            f"That takes {count} windows of {hours.window}, {first}{between}."
            if count > 1
            else f"That fits into one window of {hours.window}; {first}."
        )
    return tuple(lines)


def say_cost(order: Order, hours: Hours, *, silent: bool, stops: bool = True) -> None:
    """Print it. Raises BadFileError where a block fits into no window."""
    for line in cost_lines(order, hours, stops=stops):
        if not silent:
            say(line)


def ask(place: Place, order: Order, terms: Terms, *, yes: bool, silent: bool) -> None:
    """Refuse while users are on or cannot be counted, then show the downtime and have it confirmed.

    Where no production would be stopped that is said instead, and nothing is asked. Raises BadFileError, or typer.Exit
    for a no.
    """
    if not terms.stricter:
        with place.ledger() as ledger:
            said = stricter_than_accepted(ledger, order)
        if said:
            raise fail(said)  # a gate that the accepted baseline has not passed needs a person's word (lesson R3c)
    found = asyncio.run(_looked(place, order, terms))
    say_cost(order, terms.hours, silent=silent, stops=found.stops)
    if found.refusal:
        raise fail(found.refusal)
    if not found.stops:
        if not silent:
            say(_as_found(place, order.target))
    elif not yes:
        _confirm(order.target.name)


def _as_found(place: Place, target: Target) -> str:
    with place.looking() as ledger:
        said = left_as_found(target.name, states_of(ledger, target.name) if ledger else ())
    return f"{said[0].upper()}{said[1:]}."


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


def say_plan_cost(place: Place, order: Order, hours: Hours | None, *, silent: bool) -> None:
    """Beside a plan: what it costs in these hours (none: not said), what becomes of a production that does not run,
    and what would refuse the run now."""
    found = asyncio.run(_foreseen(place, order.target))
    if hours is not None:
        say_cost(order, hours, silent=silent, stops=found.stops)
    if silent:
        return
    if not found.stops and not found.refusal:
        say(_as_found(place, order.target))
    if found.refusal:
        say(f"This run would be refused now: {found.refusal}.", style="yellow")


async def _foreseen(place: Place, target: Target) -> Found:
    """As far as it can be known without asking users; a host that cannot be reached hides no plan."""
    try:
        async with onlooker(state_dir(place.folder, target), target) as looking:
            return await _down(place, target, looking)
    except GuardianError:
        return Found(runs=False, stops=True)


async def _down(place: Place, target: Target, looking: Onlooker) -> Found:
    """What can be told without a look at users: all, where production does not run."""
    production = await looking.production()
    if production.held is not None:
        return Found(runs=True, stops=True)
    refusal = never_up(place, target) or await served_by_others(target, looking) or ""
    return Found(runs=False, stops=production.wanted, refusal=refusal)


async def _looked(place: Place, order: Order, terms: Terms) -> Found:
    """Whether there is a production to stop, and why it must not be, as far as that can be known now.

    A wait is left to the run itself.
    """
    target, polite = order.target, terms.politeness
    async with onlooker(state_dir(place.folder, target), target) as looking:
        found = await _down(place, target, looking)
        if not found.runs:
            return found
        load = await load_asked(target, looking)
    if not isinstance(load, Load):
        return found if polite.users_accept else replace(found, refusal=uncounted(target.name, load).sentence)
    busy = bool(load.running or load.waiting)
    if busy and terms.hours.window is None and polite.when_busy is WhenBusy.REFUSE:
        return replace(found, refusal=in_use(target.name, load).sentence)
    return found


def _unasked(name: str) -> str:
    return f"production of {name!r} would be taken down for that time; say --yes if that may be"


def _confirm(name: str) -> None:
    if not sys.stdin.isatty():
        raise BadFileError(_unasked(name))
    if not typer.confirm("May production be taken down for that time?"):
        raise fail("Nothing was stopped.", NEGATIVE)
