"""The measured table of one run for the terminal: the page's rows again, on a narrow one an arm a stanza."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from committee.report import words
from committee.report.confidence import bounds_of_run
from committee.report.history import History, read_history
from committee.report.outlook import NOTHING_KNOWN, Outlook
from committee.report.plot_rows import placebo_words
from committee.report.runs import Runs, RunView, run_view
from committee.report.today import today
from harness.cli.narrow import print_table
from harness.cli.terminal import one_line
from ledger.entries import Verdict
from ledger.store import Ledger

SHOWN_REASONS = 200  # characters under the table; the verdict's entry and the page hold every word
STYLES = {"FASTER": "bold blue", "SLOWER": "bold red", "SAME": "dim", "AMBIGUOUS": "bold magenta"}


class UnknownRunError(ValueError):
    """The ledger holds no measuring run of that name."""


@dataclass(frozen=True)
class Note:
    """What stands below the table about one arm, and the command to copy where there is one."""

    words: str
    command: str | None = None


@dataclass(frozen=True)
class MeasuredTable:
    """The table of one run and what stands below it."""

    table: Table
    notes: tuple[Note, ...]

    def print(self, console: Console) -> None:
        """Text is wrapped between words; a command stays one line, so that it can be copied whole."""
        print_table(console, self.table)
        for note in self.notes:
            console.print(Text(note.words))
            if note.command:
                console.print(Text(f"    {note.command}"), soft_wrap=True)


def measured_table(ledger: Ledger, run: str, outlook: Outlook = NOTHING_KNOWN) -> MeasuredTable:
    """The table of one measuring run. Raises UnknownRunError when the ledger holds no such run."""
    history = read_history(ledger)
    begun = next((item for item in history.runs if item.payload.run == run), None)
    if begun is None:
        raise UnknownRunError(f"no measuring run {run!r} in {str(ledger.path)!r}; `committee log` lists the runs")
    question = (begun.payload.proposal, begun.payload.target)
    same = [item for item in history.runs if (item.payload.proposal, item.payload.target) == question]
    views = Runs(run_view(history, item) for item in same)
    view = next(one for one in views if one.begun.payload.run == run)
    notes = [_note(history, views, view, item.payload, outlook) for item in view.primary]
    return MeasuredTable(_table(view), (*notes, Note(one_line(_about(view)))))


def _table(view: RunView) -> Table:
    """Words from outside are never taken for rich's markup."""
    table = Table(
        title=Text(f"{view.begun.payload.target}: {words.metric_words(view.metric, view.load)}, against the baseline"),
        box=box.SIMPLE_HEAD,
        title_justify="left",
        pad_edge=False,
        expand=True,  # the last column is empty and takes what is left
    )
    for name in ("arm", "verdict", "text", "change"):
        table.add_column(name, no_wrap=True)
    table.add_column("n", justify="right", no_wrap=True)
    table.add_column("", ratio=1)
    verdicts = view.primary
    for item in verdicts:
        table.add_row(*_row(view, item.payload))
    for arm in view.begun.payload.arms:
        if all(item.payload.arm != arm for item in verdicts):
            table.add_row(*_without_verdict(view, arm))
    return table


def _row(view: RunView, verdict: Verdict) -> tuple[Text, ...]:
    launches = sum(1 for point in view.points if point.arm == verdict.arm)
    counted = launches if verdict.interval is None else min(launches, verdict.blocks)  # behind the change
    return (
        _text(verdict.arm_name, "bold"),
        _verdict(verdict),
        _text(verdict.numerics if verdict.interval else "–", "red" if verdict.numerics == "CHANGED" else ""),
        _change(verdict),
        _text(str(counted)),
    )


def _without_verdict(view: RunView, arm: str) -> tuple[Text, ...]:
    points = [point for point in view.points if point.arm == arm]
    name = points[0].name if points else words.short(arm)
    said = "run void" if view.void else "no verdict yet"
    cells = (_text(name, "bold"), _text(said, "bold red" if view.void else "dim"), _text("–"), _text("no number"))
    return (*cells, _text(str(len(points))))


def _verdict(verdict: Verdict) -> Text:
    if verdict.speed is None:
        return _text(verdict.validity, "bold red")
    return Text.assemble((verdict.validity, "dim"), "\n", (verdict.speed, STYLES[verdict.speed]))


def _change(verdict: Verdict) -> Text:
    if verdict.interval is None:
        return _text("no number", "dim")
    bounds = words.span(verdict.interval.low_pct, verdict.interval.high_pct)
    return Text.assemble((words.percent(verdict.interval.estimate_pct), "bold"), "\n", (bounds, "dim"))


def _note(history: History, views: Sequence[RunView], view: RunView, verdict: Verdict, outlook: Outlook) -> Note:
    """The reasons of an arm without a number; else what to do next, today."""
    name = one_line(verdict.arm_name)
    if verdict.reasons:
        short = textwrap.shorten("; ".join(verdict.reasons), SHOWN_REASONS, placeholder=" ... (`committee show`)")
        return Note(one_line(f"{name}: {short}"))
    step = today(history, views, view, verdict, outlook).next
    return Note(one_line(f"{name}: {step.words}"), one_line(step.command) if step.command else None)


def _about(view: RunView) -> str:
    """What holds for the whole run."""
    said: list[str] = []
    if bounds := bounds_of_run(view):
        said.append(bounds)
    if view.smallest_effect_pct is not None:
        said.append(f"smallest effect that matters ±{words.exact(view.smallest_effect_pct)} %")
    if placebo := placebo_words(view):
        said.append(placebo)
    if view.machine:
        said.append(view.machine)
    if view.ended is not None:
        end = view.ended.payload
        said.append(f"production away {words.minutes(view.away_s)}")
        if view.void:
            said.append(f"run {end.outcome}: {end.detail}")
    return "; ".join([*said, *view.labels])


def _text(words_said: str, style: str = "") -> Text:
    return Text(one_line(words_said), style=style)
