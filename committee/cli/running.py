"""`committee run|resume`: the whole line, stopping where a person decides."""

from typing import Annotated

import typer

from committee.cli.desk import open_desk
from committee.cli.display import RunDisplay
from committee.cli.workspaces import ProposalArgument, WorkspaceOption
from committee.report import measured_table
from committee.workflow.graph import RunResult
from committee.workflow.graph import resume as resume_graph
from committee.workflow.graph import start as start_graph
from committee.workflow.state import Stage
from committee.workspace import Workspace
from harness.cli.speak import fail, out, print_json, run_interruptible
from ledger.store import Ledger

STOPPED = "stopped by a person; what was finished is kept, go on with `committee resume RUN`"


def run(
    proposal: ProposalArgument,
    workspace: WorkspaceOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="as JSON")] = False,
) -> None:
    """Review, brief, measure; then stop for the person."""
    place = Workspace.find(workspace)
    name = place.proposal_folder(proposal).name
    with open_desk(place, RunDisplay(out)) as desk:
        result = run_interruptible(start_graph(desk, name, Stage.ACCEPT), STOPPED)
    with place.ledger() as ledger:
        say_result(ledger, name, result, as_json=as_json)


def resume(
    run_id: Annotated[str, typer.Argument(metavar="RUN", help="id of the review run, from `committee log`")],
    workspace: WorkspaceOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="as JSON")] = False,
) -> None:
    """Take a run up where it stands; finished answers and blocks are never done again."""
    place = Workspace.find(workspace)
    with open_desk(place, RunDisplay(out)) as desk:
        result = run_interruptible(resume_graph(desk, run_id, Stage.ACCEPT), STOPPED)
    with place.ledger() as ledger:
        say_result(ledger, "P", result, as_json=as_json)


def say_result(ledger: Ledger, proposal: str, result: RunResult, *, as_json: bool) -> None:
    """The table and what to do next, or the sentence with which the run ended."""
    if as_json:
        print_json(
            {
                "run": result.run,
                "waiting": result.waiting,
                "ended": result.ended,
                "seats": result.seats,
                "measuring_run": result.measuring_run,
                "verdicts": result.verdicts,
            }
        )
        raise typer.Exit(result.exit_code)
    if result.verdicts and result.measuring_run:
        out.print(measured_table(ledger, result.measuring_run))
    if result.ended:
        raise fail(f"{result.ended} (run {result.run})")
    out.print(f"run {result.run} waits for you: committee accept {proposal} ARM --reason TEXT", highlight=False)
