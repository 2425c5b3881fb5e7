"""`harness show RUN`: what a run found, from the record alone."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from harness.cli.place import Place
from harness.cli.runs import find_run
from harness.cli.show import file_lines, interaction_table, verdict_table
from harness.cli.speak import fail, out, print_json, say
from harness.workflow.conclude import judge
from harness.workflow.stacked import stacked_in
from ledger.entries import Launch, MeasuringRun

commands = typer.Typer(add_completion=False)


@commands.command("show")
def show(
    name: Annotated[str, typer.Argument(metavar="RUN", help="id of the run, or its beginning")],
    workspace: Annotated[Path | None, typer.Option(help="the workspace; default: the one you are in")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="as JSON")] = False,
) -> None:
    """Look only: verdicts, interactions and changed files of a run, from the record alone."""
    place = Place.find(workspace)
    run = find_run(place, name)
    with place.ledger() as ledger:
        plan = next((planned for _, planned in ledger.of(MeasuringRun, run=run)), None)
        if plan is None:
            raise fail(f"run {run!r} was never planned here; `harness fetch {run}` brings it back from its host")
        verdict, stacked = judge(ledger, plan), stacked_in(ledger, run)
        files = file_lines([launch for _, launch in ledger.of(Launch, run=run)])
    if as_json:
        verdicts = [one.as_json() for one in verdict.verdicts]
        found = [asdict(one) for one in stacked]
        print_json(
            {"run": run, "sentence": verdict.sentence, "verdicts": verdicts, "interactions": found, "files": files}
        )
        return
    out.print(verdict_table(verdict, plan.criteria, place.planning(plan.target)))
    if stacked:
        out.print(interaction_table(stacked))
    for line in files:
        say(line)
    say(verdict.sentence)
