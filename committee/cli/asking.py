"""`committee ask`: the questions people ask of a ledger years later, each answered by its index."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Annotated

import typer

from committee.cli.origin import LABEL, simulated_runs
from committee.cli.workspaces import WorkspaceOption
from committee.vocabulary.config import read_config
from committee.workspace import Workspace
from harness.cli.speak import GOOD, NEGATIVE, USAGE, fail, print_json, say
from harness.vocabulary.arm import normal
from harness.vocabulary.nearest import MOST_LISTED, meant
from harness.vocabulary.private import BESIDE
from ledger.asking import (
    Decided,
    Judged,
    measured_on_card,
    measured_under_driver,
    measured_with_model,
    measured_with_version,
    predictions_that_held,
    production_of,
    verdicts_on_setting,
)
from ledger.asking_kernels import KernelJudged, kernel_names, kernel_verdicts_on
from ledger.before import measured_before
from ledger.names import Named, names_on_record
from ledger.resting import ids_of
from ledger.standing import doubts
from ledger.store import Ledger

commands = typer.Typer(add_completion=False)
Answers = tuple[Judged | Decided, ...] | tuple[KernelJudged, ...]


class Question(StrEnum):
    """What can be asked."""

    SETTING = "setting"
    PRODUCTION = "production"
    REVIEWER = "reviewer"
    VERSION = "version"
    DRIVER = "driver"
    CARD = "card"
    MODEL = "model"
    KERNEL = "kernel"


FACTS: Mapping[Question, Callable[[Ledger, str], tuple[Judged, ...]]] = MappingProxyType(
    {
        Question.REVIEWER: predictions_that_held,
        Question.VERSION: measured_with_version,
        Question.DRIVER: measured_under_driver,
        Question.CARD: measured_on_card,
        Question.MODEL: measured_with_model,
    }
)


# What a name stands for, and what is missing where it is known and nothing answers.
YET: Mapping[Question, tuple[Named, str]] = MappingProxyType(
    {
        Question.SETTING: ("setting", "no verdict on setting"),
        Question.PRODUCTION: ("target", "no acceptance on"),
        Question.REVIEWER: ("reviewer", "no prediction that held of"),
    }
)


@commands.command("ask")
def ask(
    question: Annotated[
        Question,
        typer.Argument(
            help="setting NAME: every verdict on a flag or variable; production TARGET: what made it what it is; "
            "reviewer NAME: what they predicted that held; version V, driver V, card NAME or UUID, model FILE or HASH: "
            "what was measured so; kernel TASK or ARM: verdicts of the kernel bench"
        ),
    ],
    name: Annotated[
        str, typer.Argument(help="the flag or variable, target, reviewer, version, driver, card, model file, kernel")
    ],
    target: Annotated[str, typer.Option(help="setting: on this target alone")] = "",
    workspace: WorkspaceOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="as JSON")] = False,
) -> None:
    """Answer from the record, newest first, marked where it does not stand or was measured before a change; 1: none."""
    place = Workspace.find(workspace)
    with place.ledger() as ledger:
        found: Answers = _answer(ledger, question, name, target)
        nothing = "" if found else _nothing(place, ledger, question, name)
        marks, before = marks_of(ledger, found)
        made_up = simulated_runs(ledger, {one.run for one in found if not isinstance(one, KernelJudged)} - {""})
    told = [_Told(one, marks.get(one.seq), before.get(one.seq), one.run in made_up) for one in found]
    if as_json:
        print_json(
            [
                {**asdict(one.answer), "doubt": one.doubt, "before": one.before, "simulated": one.simulated}
                for one in told
            ]
        )
    else:
        _say(told, question, nothing)
    raise typer.Exit(GOOD if found else NEGATIVE)


@dataclass(frozen=True)
class _Told:
    """An answer with what is said beside it."""

    answer: Judged | Decided | KernelJudged
    doubt: str | None
    before: str | None
    simulated: bool


def _say(told: Sequence[_Told], question: Question, nothing: str) -> None:
    for one in told:
        say(f"{one.answer.words}; {LABEL}" if one.simulated else one.answer.words)
        for mark in (one.doubt, one.before):
            if mark is not None:
                say(f"    {mark}", style="yellow")
    if question is Question.PRODUCTION and told:
        say("The last one is in force at production's next start.")
    if not told:
        say(nothing)


def _answer(ledger: Ledger, question: Question, name: str, target: str) -> Answers:
    if question is Question.KERNEL:
        return kernel_verdicts_on(ledger, name)
    if question is Question.SETTING:
        return verdicts_on_setting(ledger, name, target) or verdicts_on_setting(ledger, normal(name), target)
    if question is Question.PRODUCTION:
        return production_of(ledger, name)
    return FACTS[question](ledger, name)


def _nothing(place: Workspace, ledger: Ledger, question: Question, name: str) -> str:
    """Why there is no answer about a name that is known. Raises typer.Exit for one that nothing on record has."""
    if question is Question.KERNEL:
        known_kernels = ", ".join(kernel_names(ledger)[:MOST_LISTED]) or "none"
        return f"no verdict of the kernel bench on {name!r}; there is: {known_kernels}"
    if question not in YET:
        unread = "; no launch's files were read under that name" if question is Question.MODEL else ""
        flag = " (a name that arms only set is asked for with `committee ask setting model`)" if unread else ""
        return f"Nothing on record about {question.value} {name!r}{unread}{flag}."
    what, yet = YET[question]
    known = {*names_on_record(ledger, what)}
    if question is Question.PRODUCTION:
        known |= {path.stem for path in (place.folder / "targets").glob("*.toml") if not path.stem.endswith(BESIDE)}
    if question is Question.REVIEWER:
        known |= {seat.name for seat in read_config(place.config_path).reviewer}
    if name in known or normal(name) in known:
        return f"{yet} {name!r} yet."
    there = ", ".join(sorted(known)[:MOST_LISTED]) or "none"
    rest = f" and {len(known) - MOST_LISTED} more" if len(known) > MOST_LISTED else ""
    raise fail(f"no such {what} on record: {name!r}; there is: {there}{rest}{meant(name, known)}", USAGE)


def marks_of(ledger: Ledger, found: Sequence[Judged | Decided | KernelJudged]) -> tuple[dict[int, str], dict[int, str]]:
    """Why an answer does not stand, and before which change it was measured; by number."""
    judged = [one for one in found if isinstance(one, Judged)]
    changed = measured_before(ledger, {one.run for one in judged}) if judged else {}
    before = {one.seq: changed[one.run].sentence for one in judged if one.run in changed}
    against = doubts(ledger) if found else {}
    ids = ids_of(ledger, [one.seq for one in found]) if against else {}
    return {seq: against[node][-1].words for seq, node in ids.items() if node in against}, before
