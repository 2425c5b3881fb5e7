"""`committee ask`: the questions people ask of a ledger years later, each answered by its index."""

from dataclasses import asdict
from enum import StrEnum
from typing import Annotated

import typer

from committee.cli.workspaces import WorkspaceOption
from committee.workspace import Workspace
from harness.cli.speak import GOOD, NEGATIVE, print_json, say
from harness.vocabulary.arm import normal
from ledger.asking import (
    Decided,
    Judged,
    measured_with_version,
    predictions_that_held,
    production_of,
    verdicts_on_setting,
)
from ledger.standing import doubts
from ledger.store import Ledger

commands = typer.Typer()


class Question(StrEnum):
    """What can be asked."""

    SETTING = "setting"
    PRODUCTION = "production"
    REVIEWER = "reviewer"
    VERSION = "version"


@commands.command("ask")
def ask(
    question: Annotated[
        Question,
        typer.Argument(
            help="setting NAME: every verdict on a flag or variable; production TARGET: what made it what it is; "
            "reviewer NAME: what they predicted that held; version V: what that harness measured"
        ),
    ],
    name: Annotated[str, typer.Argument(help="the flag or variable, target, reviewer or version")],
    target: Annotated[str, typer.Option(help="setting: on this target alone")] = "",
    workspace: WorkspaceOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="as JSON")] = False,
) -> None:
    """Answer a question from the record, newest first; what does not stand any more is marked; exit 1 for nothing."""
    with Workspace.find(workspace).ledger() as ledger:
        found = _answer(ledger, question, name, target)
        against = doubts(ledger)
        marks = {ledger.find(node).seq: said[-1].words for node, said in against.items()} if found else {}
    if as_json:
        print_json([{**asdict(one), "doubt": marks.get(one.seq)} for one in found])
    else:
        for one in found:
            say(one.words)
            if one.seq in marks:
                say(f"    {marks[one.seq]}", style="yellow")
        if question is Question.PRODUCTION and found:
            say("The last one is in force at production's next start.")
        if not found:
            say(f"Nothing on record about {question.value} {name!r}.")
    raise typer.Exit(GOOD if found else NEGATIVE)


def _answer(ledger: Ledger, question: Question, name: str, target: str) -> tuple[Judged | Decided, ...]:
    if question is Question.SETTING:
        return verdicts_on_setting(ledger, name, target) or verdicts_on_setting(ledger, normal(name), target)
    if question is Question.PRODUCTION:
        return production_of(ledger, name)
    if question is Question.REVIEWER:
        return predictions_that_held(ledger, name)
    return measured_with_version(ledger, name)
