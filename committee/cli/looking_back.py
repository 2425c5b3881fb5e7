"""`committee costs|reviewers|replay`: looking back at calls, predictions and briefs. Reads only; nothing here ranks."""

from dataclasses import asdict
from typing import Annotated

import typer

from committee.accept.as_of import target_as_of
from committee.cli.naming import review_run_named
from committee.cli.workspaces import WorkspaceOption
from committee.proposals.folder import load
from committee.proposals.record import header_of, read_back
from committee.review.books import Books
from committee.review.budget import Allowance
from committee.review.spending import spending_line
from committee.score.predictions import Record
from committee.score.read import Call, Standing, calls, standings
from committee.vocabulary.config import read_config
from committee.workflow.replay import Replay
from committee.workflow.replay import replay as replay_run
from committee.workspace import Workspace
from harness.cli.speak import GOOD, NEGATIVE, print_json, say
from harness.cli.terminal import aligned
from ledger.entries import ReviewRun
from ledger.store import Ledger

commands = typer.Typer(add_completion=False)

JsonOption = Annotated[bool, typer.Option("--json", help="as JSON")]


@commands.command("costs")
def costs(
    proposal: Annotated[str | None, typer.Argument(help="only this proposal's calls")] = None,
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Tokens, time, served model and cost of every call to a reviewer."""
    place = Workspace.find(workspace)
    name = place.proposal_folder(proposal).name if proposal else None
    with place.ledger() as ledger:
        made, spent = calls(ledger, name), _spent(place, ledger, name)
    if as_json:
        print_json([asdict(call) for call in made])
        return
    headings = ("run", "reviewer", "model", "tokens in", "out", "seconds", "cost", "ended")
    for line in aligned(headings, map(_row, made)):
        say(line)
    unpriced = sum(call.unpriced for call in made)
    unknown = sum(call.cost is None for call in made) - unpriced
    rest = f"; {unknown} more with unknown outcome, which the budget counts at their worst" if unknown else ""
    unsent = sum(call.sent == 0 for call in made)
    rest += f"; {unsent} more never went out" if unsent else ""
    known = f"{sum(call.cost or 0.0 for call in made):.4g} in all"
    if unpriced:
        known += f" without {unpriced} whose cost is unknown, as their reviewers had no price in committee.toml"
    say(f"{len(made) - unknown - unsent} calls, {known}{rest}")
    for line in spent:
        say(line)


@commands.command("reviewers")
def reviewers(workspace: WorkspaceOption = None, as_json: JsonOption = False) -> None:
    """How each reviewer's predictions came out. By name: nothing here decides what is measured or accepted."""
    with Workspace.find(workspace).ledger() as ledger:
        found = standings(ledger)
    if as_json:
        print_json([_value(standing) for standing in found])
        return
    first = ("reviewer", "complete", "left out", "hypotheses", "measured", "confirmed", "in interval", "Brier")
    for line in aligned((*first, "cost a confirmed", "rank correlation"), map(_standing, found)):
        say(line)
    say("sorted by name; confirmed is of those that measuring decided; no score enters a ranking")


@commands.command("replay")
def replay(
    run: Annotated[str, typer.Argument(metavar="RUN", help="id of a review run, or its beginning")],
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Take a finished review run's stored answers through today's code, offline, and show what comes out otherwise."""
    place = Workspace.find(workspace)
    with place.ledger() as ledger:
        found, begun = ledger.of(ReviewRun, run=review_run_named(ledger, run))[0]
        header = header_of(read_back(ledger, begun.proposal, begun.tree))
        place.target(header.target)  # a name that is none, or no such file, is one sentence
        file = place.folder / "targets" / f"{header.target}.toml"
        again = replay_run(ledger, begun, target_as_of(ledger, file, found.seq))
    if as_json:
        print_json(asdict(again) | {"same": again.same})
    else:
        _say_replay(again)
    raise typer.Exit(GOOD if again.same else NEGATIVE)


def _spent(place: Workspace, ledger: Ledger, proposal: str | None) -> list[str]:
    """What is used of the proposal's budget, where one is named, and of the workspace's."""
    config = read_config(place.config_path)
    books, limits = Books(config), config.budget
    books.catch_up(ledger)
    lines = [spending_line(Allowance("the workspace's", limits.money, limits.tokens), books.spent_on())]
    if proposal:
        budget = load(place.proposal_folder(proposal)).header.budget
        own = Allowance("the proposal's", budget.money, budget.tokens)
        lines.insert(0, spending_line(own, books.spent_on(proposal)))
    return lines


def _say_replay(again: Replay) -> None:
    for seat in again.seats:
        say(f"{seat.reviewer}: {seat.then}" if seat.same else f"{seat.reviewer}: {seat.then} then, {seat.now} today")
    for line in again.difference:
        say(line)
    if again.arms_then != again.arms_now:
        say(f"arms then: {', '.join(again.arms_then)}; today: {', '.join(again.arms_now)}")
    say(f"run {again.run} {'comes out the same, byte for byte' if again.same else 'comes out otherwise today'}")


def _row(call: Call) -> tuple[str, ...]:
    numbers = (call.prompt_tokens, call.answer_tokens)
    seconds = "-" if call.elapsed_s is None else f"{call.elapsed_s:.1f}"
    cost = "unknown" if call.cost is None else f"{call.cost:.4g}"
    words = ["-" if number is None else str(number) for number in numbers]
    return (call.run, f"{call.reviewer} #{call.number}", call.served_model or "-", *words, seconds, cost, call.ended)


def _standing(standing: Standing) -> tuple[str, ...]:
    record, ranks = standing.record, standing.record.ranks
    each, nothing = standing.cost_a_confirmed, "unknown" if standing.cost is None and record.confirmed else "-"
    return (
        record.reviewer,
        str(standing.complete),
        str(standing.excluded),
        _hypotheses(standing),
        str(record.measured),
        f"{record.confirmed} of {record.decided}",
        f"{record.inside} of {record.measured}",
        "-" if record.brier is None else f"{record.brier:.2f}",
        nothing if each is None else f"{each:.4g}",
        f"{ranks.rho:+.2f} [{ranks.low:+.2f}, {ranks.high:+.2f}], {ranks.pairs} arms" if ranks else "-",
    )


def _hypotheses(standing: Standing) -> str:
    """How many count, and how many of them without their words; those of which nothing is known apart."""
    said = [f"{standing.record.withheld} withheld"] if standing.record.withheld else []
    said += [f"{standing.gone} more withheld, not known"] if standing.gone else []
    return f"{standing.record.hypotheses} ({', '.join(said)})" if said else str(standing.record.hypotheses)


def _value(standing: Standing) -> dict[str, object]:
    record: Record = standing.record
    return {
        **asdict(record),
        "hit_rate": record.hit_rate,
        "gone": standing.gone,
        "complete": standing.complete,
        "excluded": standing.excluded,
        "cost": standing.cost,
        "cost_a_confirmed": standing.cost_a_confirmed,
    }
