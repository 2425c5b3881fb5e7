"""`harness lint`: rules that can be computed before any start, for a target and its arms. Looks only."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from harness.cli.place import Place
from harness.cli.speak import NEGATIVE, print_json, say
from harness.rules.every import every_rule
from harness.vocabulary.arm import Arm
from harness.vocabulary.base import BadFileError
from harness.workflow.lint import Found, lint, lint_words, new_with

commands = typer.Typer(add_completion=False)


@commands.command("lint")
def lint_target(
    target: Annotated[str | None, typer.Argument(help="name of the target; without one the rules are listed")] = None,
    arm: Annotated[list[Path] | None, typer.Option(help="an arm file; may be given several times")] = None,
    model: Annotated[
        Path | None, typer.Option(help="the model to look into: a GGUF or safetensors file, or its folder")
    ] = None,
    command: Annotated[
        str | None, typer.Option(help="a command line of an engine or of llama-bench, in quotes")
    ] = None,
    workspace: Annotated[Path | None, typer.Option(help="the workspace; default: the one you are in")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="as JSON")] = False,
) -> None:
    """Hold a target and its arms against rules that need no start: sizes, limits, separators, model file."""
    if target is None and command is None:
        if arm or model:
            raise BadFileError("an arm or a model is held against a target's rules; name the target before it")
        _list(as_json=as_json)
        return
    found = list(lint_words(_split(command))) if command is not None else []
    if target is not None:
        known, _ = Place.find(workspace).target(target)
        found += lint(known, None, model)
        for path in arm or ():
            found += new_with(known, Arm.from_toml(path), model)
    if as_json:
        print_json([_plain(one) for one in found])
    else:
        for one in found:
            say(one.words)
        if not found:
            say("No rule has anything to say.")
    if any(one.is_fault for one in found):
        raise typer.Exit(NEGATIVE)


def _split(command: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(command))
    except ValueError as error:
        raise BadFileError(f"the command line {command!r} cannot be read ({error}); close its quotes") from error


def _plain(one: Found) -> dict[str, str]:
    return {"rule": one.rule, "arm": one.arm, "level": str(one.finding.level), "sentence": one.finding.sentence}


def _list(*, as_json: bool) -> None:
    rules = every_rule()
    if as_json:
        print_json(
            [{"rule": name, "holds": rule.line, "engines": sorted(rule.engines)} for name, rule in rules.items()]
        )
        return
    width = max(map(len, rules))
    for name, rule in rules.items():
        say(f"{name:<{width}}  {rule.line} ({', '.join(sorted(rule.engines))})")
