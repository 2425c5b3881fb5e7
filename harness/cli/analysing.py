"""`harness analyse`: a calculation that needs no server, from a file of inputs to figures, cautions and a chart."""

from pathlib import Path
from typing import Annotated

import typer

from harness.analyses.answer import Answer, NoNumber
from harness.analyses.drawing import draw
from harness.cli.speak import GOOD, NEGATIVE, USAGE, fail, print_json, say
from harness.workflow.analyse import KINDS, example, kind

commands = typer.Typer(add_completion=False)


@commands.command("analyse")
def analyse(
    name: Annotated[str | None, typer.Argument(help=f"one of {', '.join(KINDS)}; without one they are listed")] = None,
    inputs: Annotated[Path | None, typer.Argument(help="a file of inputs; --example prints one to copy")] = None,
    plot: Annotated[Path | None, typer.Option(help="write the chart there, as SVG")] = None,
    show_example: Annotated[bool, typer.Option("--example", help="print inputs to copy, and stop")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="as JSON")] = False,
) -> None:
    """Calculate on paper what figures imply: speculation, step time, growth, profiles, memory, starts, effects."""
    if name is None:
        _list(as_json=as_json)
        raise typer.Exit(GOOD)
    asked = kind(name)
    if show_example:
        typer.echo(example(name), nl=False)
        raise typer.Exit(GOOD)
    if inputs is None:
        raise fail(f"{name} needs a file of inputs; `harness analyse {name} --example` prints one to copy", USAGE)
    answer = asked.answer(inputs)
    if isinstance(answer, NoNumber):
        if as_json:
            print_json({"no_number": answer.sentence})
            raise typer.Exit(NEGATIVE)
        raise fail(f"No number: {answer.sentence}.")
    if plot is not None and answer.chart is not None:
        plot.write_text(draw(answer.chart), encoding="utf-8")
    _print(answer, as_json=as_json)
    if plot is not None and not as_json:
        say(f"Chart: {plot}" if answer.chart is not None else "These inputs give no chart.")


def _list(*, as_json: bool) -> None:
    if as_json:
        print_json([{"name": name, "about": one.line} for name, one in KINDS.items()])
        return
    width = max(map(len, KINDS))
    for name, one in KINDS.items():
        say(f"{name:<{width}}  {one.line}")


def _print(answer: Answer, *, as_json: bool) -> None:
    if as_json:
        facts = [{"name": fact.name, "value": fact.value, "unit": fact.unit} for fact in answer.facts]
        print_json({"facts": facts, "cautions": list(answer.cautions)})
        return
    width = max(len(fact.name) for fact in answer.facts)
    for fact in answer.facts:
        say(f"{fact.name:<{width}}  {fact.shown}")
    for caution in answer.cautions:
        say(f"! {caution}", style="yellow")
