"""`committee review P Q ...`: many proposals in one go, each with a line when it ends."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NoReturn

import typer

from committee.cli.desk import open_desk, progress_console
from committee.cli.display import RunDisplay
from committee.review.progress import unwatched
from committee.workflow.desk import stages_unwatched
from committee.workflow.several import Outcome, start_all
from committee.workspace import Workspace
from harness.cli.speak import GOOD, NEGATIVE, err, print_json, run_interruptible, say
from harness.cli.terminal import one_line
from harness.vocabulary.base import BadFileError
from ledger.entries import Brief, ReviewRun
from ledger.store import Head, Ledger

SHOWN_RUNS = 5  # named after Ctrl-C; the others are in `committee log`


def review_several(place: Workspace, named: Sequence[str], *, differential: bool, as_json: bool) -> NoReturn:
    """Review each once. Raises typer.Exit: 0 when every one came to its brief, else 1."""
    known, unknown = _found(place, named)
    tell = _untold if as_json else _tell
    for outcome in unknown:
        tell(outcome)
    with open_desk(place, RunDisplay(progress_console(as_json=as_json))) as desk:
        quiet = replace(desk, differential=differential, watch=unwatched, watch_stages=stages_unwatched)
        head = desk.ledger.head()
        work = start_all(quiet, known, tell=tell)
        ended = (*unknown, *run_interruptible(work, lambda: _stopped(desk.ledger, head)))
    good = sum(outcome.good for outcome in ended)
    if as_json:
        print_json([_value(outcome) for outcome in ended])
    else:
        say(f"{good} of {len(ended)} proposals came to their brief")
    raise typer.Exit(GOOD if good == len(ended) else NEGATIVE)


def _found(place: Workspace, named: Sequence[str]) -> tuple[list[str], list[Outcome]]:
    """Ids, each once and in the order given, and what names no proposal."""
    known: list[str] = []
    unknown: list[Outcome] = []
    for name in named:
        try:
            known.append(place.proposal_folder(name).name)
        except BadFileError as error:
            unknown.append(Outcome(name, None, str(error)))
    return list(dict.fromkeys(known)), unknown


def _tell(outcome: Outcome) -> None:
    if outcome.good and outcome.run:
        say(f"{outcome.proposal}: run {outcome.run.run}, {len(outcome.run.arms)} arms to measure")
    else:
        run = f" (run {outcome.run.run})" if outcome.run else ""
        said = f"{outcome.proposal}: {outcome.sentence}{run}"
        err.print(one_line(said), style="red", markup=False, highlight=False, soft_wrap=True)


def _untold(_outcome: Outcome) -> None:
    """JSON is printed whole, at the end."""


def _stopped(ledger: Ledger, before: Head | None) -> str:
    """The sentence after Ctrl-C: what is whole, and how to go on with the others."""
    since = before.seq if before else 0
    begun = [run.run for entry, run in ledger.of(ReviewRun, round="first") if entry.seq > since]
    whole = {brief.run for entry, brief in ledger.of(Brief) if entry.seq > since}
    rest = [run for run in begun if run not in whole]
    more = f" and {len(rest) - SHOWN_RUNS} more (see `committee log`)" if len(rest) > SHOWN_RUNS else ""
    on = f"; go on with `committee resume RUN` of {', '.join(rest[:SHOWN_RUNS])}{more}" if rest else ""
    return (
        f"stopped by a person; {len(whole)} of {len(begun)} begun runs have their brief, finished answers are kept{on}"
    )


def _value(outcome: Outcome) -> dict[str, object]:
    run = outcome.run
    return {
        "proposal": outcome.proposal,
        "run": run.run if run else None,
        "seats": run.seats if run else {},
        "arms": run.arms if run else (),
        "ended": outcome.sentence,
    }
