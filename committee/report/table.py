"""The measured table of one run for the terminal: the page's rows again, readable on 60 columns and more."""

import textwrap

from rich import box
from rich.table import Table
from rich.text import Text

from committee.report import words
from committee.report.history import read_history
from committee.report.next_step import after_verdict
from committee.report.plot_rows import placebo_band
from committee.report.runs import RunView, run_view
from ledger.entries import Verdict
from ledger.store import Ledger

SHOWN_REASONS = 200  # characters under the table; the verdict's entry and the page hold every word
STYLES = {"FASTER": "bold blue", "SLOWER": "bold red", "SAME": "dim", "AMBIGUOUS": "bold magenta"}


class UnknownRunError(ValueError):
    """The ledger holds no measuring run of that name."""


def measured_table(ledger: Ledger, run: str) -> Table:
    """The table of one measuring run. Raises UnknownRunError when the ledger holds no such run."""
    history = read_history(ledger)
    begun = next((item for item in history.runs if item.payload.run == run), None)
    if begun is None:
        raise UnknownRunError(f"no measuring run {run!r} in {str(ledger.path)!r}; `committee log` lists the runs")
    return table_of(run_view(history, begun))


def table_of(view: RunView) -> Table:
    """The same for a run that is already read. Words from outside are never taken for rich's markup."""
    table = Table(
        title=Text(f"{view.begun.payload.target}: {words.metric_words(view.metric, view.load)}, against the baseline"),
        caption=Text(_caption(view), justify="left"),
        box=box.SIMPLE_HEAD,
        title_justify="left",
        caption_justify="left",
        pad_edge=False,
        expand=True,  # the last column is empty and takes what is left, so that the notes have the whole width
    )
    table.add_column("arm", overflow="fold")
    table.add_column("verdict", overflow="fold")
    table.add_column("text", no_wrap=True)
    table.add_column("change", no_wrap=True)
    table.add_column("n", justify="right")
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
    return (
        _text(verdict.arm_name, "bold"),
        _verdict(verdict),
        _text(verdict.numerics if verdict.interval else "–", "red" if verdict.numerics == "CHANGED" else ""),
        _change(verdict),
        _text(str(launches)),
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


def _note(view: RunView, verdict: Verdict) -> str:
    if verdict.reasons:
        return textwrap.shorten("; ".join(verdict.reasons), SHOWN_REASONS, placeholder=" ... (`committee show`)")
    guards = [item.payload for item in view.guards(verdict.arm)]
    step = after_verdict(view.begun.payload, verdict, guards)
    return f"{step.words}: {step.command}" if step.command else step.words


def _caption(view: RunView) -> str:
    said: list[str] = []
    if view.smallest_effect_pct is not None:
        said.append(f"smallest effect that matters ±{words.exact(view.smallest_effect_pct)} %")
    band = placebo_band(view)
    if band is not None:
        said.append(f"placebo {words.span(*band)}")
    if view.ended is not None:
        end = view.ended.payload
        said.append(f"production away {words.minutes(view.away_s)}")
        if view.void:
            said.append(f"run {end.outcome}: {end.detail}")
    said += view.labels
    notes = [f"{item.payload.arm_name}: {_note(view, item.payload)}" for item in view.primary]
    return words.clean("\n".join([*notes, "; ".join(said)]))


def _text(words_said: str, style: str = "") -> Text:
    return Text(words.clean(words_said), style=style)
