"""`committee run|resume`: the whole line, stopping where a person decides."""

from typing import Annotated

import typer

from committee.cli.consenting import ask_measuring
from committee.cli.desk import code_of, open_desk, order_of, progress_console, said_stopped
from committee.cli.display import RunDisplay
from committee.cli.kernel_measuring import BenchTurn, turn_of_run
from committee.cli.naming import review_run_named
from committee.cli.outlook import outlook_of
from committee.cli.quorate import ended_without_quorum
from committee.cli.terms import (
    ApproveOption,
    DrainLimitOption,
    Given,
    StricterOption,
    UsersAcceptOption,
    WhenBusyOption,
    YesOption,
)
from committee.cli.workspaces import ProposalArgument, WorkspaceOption
from committee.proposals.folder import load
from committee.report import measured_table
from committee.workflow.desk import Desk, Measuring
from committee.workflow.frozen import review_run
from committee.workflow.graph import RunResult
from committee.workflow.graph import resume as resume_graph
from committee.workflow.graph import start as start_graph
from committee.workflow.state import Stage, measuring_run
from committee.workspace import Workspace
from harness.cli.consent import foresee
from harness.cli.place import Place
from harness.cli.speak import GOOD, fail, out, print_json, run_interruptible, say
from harness.workflow.drain import DRAIN_LIMIT_S, WhenBusy
from ledger.entries import Brief, ReviewRun
from ledger.store import Head, Ledger

commands = typer.Typer(add_completion=False)


@commands.command("run")
def run(
    proposal: ProposalArgument,
    approve: ApproveOption = "",
    when_busy: WhenBusyOption = WhenBusy.REFUSE,
    drain_limit_s: DrainLimitOption = DRAIN_LIMIT_S,
    users_accept: UsersAcceptOption = False,
    stricter: StricterOption = False,
    yes: YesOption = False,
    workspace: WorkspaceOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="as JSON")] = False,
) -> None:
    """Review, brief, measure; then stop for the person."""
    given = Given(when_busy, users_accept, stricter, approve, drain_limit_s, yes)
    place = Workspace.find(workspace)
    folder = place.proposal_folder(proposal)
    foresee(Place(place.folder), place.target(load(folder).header.target)[0], yes=yes)
    with open_desk(place, RunDisplay(progress_console(as_json=as_json))) as desk:
        head = desk.ledger.head()
        work = start_graph(desk, folder.name, Stage.ACCEPT, before=Stage.MEASURE)
        result = run_interruptible(work, lambda: said_begun(desk.ledger, folder.name, head))
    _go_on(place, result, given, as_json=as_json)


@commands.command("resume")
def resume(
    run_id: Annotated[str, typer.Argument(metavar="RUN", help="id of the review run, or its beginning")],
    approve: ApproveOption = "",
    when_busy: WhenBusyOption = WhenBusy.REFUSE,
    drain_limit_s: DrainLimitOption = DRAIN_LIMIT_S,
    users_accept: UsersAcceptOption = False,
    stricter: StricterOption = False,
    yes: YesOption = False,
    workspace: WorkspaceOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="as JSON")] = False,
) -> None:
    """Take a run up where it stands; finished answers and blocks are never done again."""
    place, given = Workspace.find(workspace), Given(when_busy, users_accept, stricter, approve, drain_limit_s, yes)
    with open_desk(place, RunDisplay(progress_console(as_json=as_json))) as desk:
        known = review_run_named(desk.ledger, run_id)
        result = RunResult(known, ended=ended_without_quorum(desk.ledger, known) or "")
        if not result.ended and not desk.ledger.of(Brief, run=known):
            result = _resumed(desk, known, before=Stage.MEASURE)
    _go_on(place, result, given, as_json=as_json)


def _go_on(place: Workspace, paused: RunResult, given: Given, *, as_json: bool) -> None:
    """From the brief to the person's decision: the bench's own question is asked while no picture moves."""
    result = paused
    with place.ledger() as ledger:
        turn = turn_of_run(place, ledger, paused.run, as_json=as_json)
    if turn is not None and not turn.server:
        _say_bench_only(paused, turn, as_json=as_json)
        raise typer.Exit(turn.code)
    if not paused.ended:
        with place.ledger() as ledger:
            asked = _asked(ledger, paused.run)
            if asked.arms:
                order = order_of(place, ledger, asked, given)
                given = ask_measuring(place, ledger, order, given, silent=as_json)
        with open_desk(place, RunDisplay(progress_console(as_json=as_json)), given) as desk:
            result = _resumed(desk, paused.run)
    with place.ledger() as ledger:
        say_result(place, ledger, result, as_json=as_json, turn=turn)


def _say_bench_only(paused: RunResult, turn: BenchTurn, *, as_json: bool) -> None:
    """The end of a run of a kernel proposal without an arm of the server: nothing of it can be accepted yet."""
    if as_json:
        print_json({**_values(paused), "ended": "", "kernel": turn.values})
    else:
        say(f"run {paused.run} has nothing for the server: measure there the arm that puts the kernel in (arms/*.toml)")


def _values(result: RunResult) -> dict[str, object]:
    return {
        "run": result.run,
        "waiting": result.waiting,
        "ended": result.ended,
        "seats": result.seats,
        "measuring_run": result.measuring_run,
        "verdicts": result.verdicts,
    }


def _asked(ledger: Ledger, run: str) -> Measuring:
    """What the graph asks for when it comes to measuring the arms of a run's brief."""
    brief = ledger.of(Brief, run=run)[-1][1]
    return Measuring(measuring_run(run), run, brief.proposal, brief.tree, brief.arms)


def _resumed(desk: Desk, run: str, before: Stage | None = None) -> RunResult:
    return run_interruptible(
        resume_graph(desk, run, Stage.ACCEPT, before),
        lambda: said_stopped(desk.ledger, measuring_run(run), f"committee resume {run}"),
    )


def said_begun(ledger: Ledger, proposal: str, before: Head | None) -> str:
    """The sentence after Ctrl-C in a run that this command began after entry `before`."""
    since = before.seq if before else 0
    begun = [run.run for entry, run in ledger.of(ReviewRun, proposal=proposal, round="first") if entry.seq > since]
    if not begun:
        return "stopped by a person before any reviewer was asked; give the same command again"
    return said_stopped(ledger, measuring_run(begun[-1]), f"committee resume {begun[-1]}")


def said_ended(ledger: Ledger, result: RunResult) -> str:
    """Why a run stopped before its end; its id only where it is on record and can be resumed."""
    known = review_run(ledger, result.run) is not None
    return f"{result.ended} (run {result.run})" if known else result.ended


def say_result(
    place: Workspace, ledger: Ledger, result: RunResult, *, as_json: bool, turn: BenchTurn | None = None
) -> None:
    """The table and what to do next, or the sentence with which the run ended; `turn` is the kernel bench's part."""
    code = code_of(result.ended) if result.ended else GOOD
    if as_json:
        print_json(_values(result) | ({"kernel": turn.values} if turn is not None else {}))
        raise typer.Exit(code)
    if result.verdicts and result.measuring_run:
        measured_table(ledger, result.measuring_run, outlook_of(place, ledger)).print(out)
    if result.ended:
        raise fail(said_ended(ledger, result), code)
    begun = review_run(ledger, result.run)
    proposal = begun.proposal if begun else "P"
    say(f"run {result.run} waits for you: committee accept {proposal} ARM --reason TEXT")
