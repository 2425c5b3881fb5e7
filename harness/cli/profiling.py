"""`harness profile`: where the time of a launch goes, one file a process, and proof that it starts without the tool."""

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from harness.cli.place import Place
from harness.cli.speak import GOOD, NEGATIVE, fail, print_json, run_interruptible, say
from harness.vocabulary.arm import Arm
from harness.vocabulary.base import BadFileError
from harness.workflow.carrier import forget_elsewhere
from harness.workflow.drain import Politeness
from harness.workflow.production import state_dir
from harness.workflow.profile import NSYS, NotProfiled, Profiled, Question, profile

commands = typer.Typer(add_completion=False)


@commands.command("profile")
def profile_launch(
    target: Annotated[str, typer.Argument(help="name of the target")],
    arm: Annotated[Path | None, typer.Option(help="an arm file; default: the baseline")] = None,
    instrument: Annotated[
        str, typer.Option(help="the tool's command instead of Nsight Systems; {folder} is where its files go")
    ] = "",
    tokens: Annotated[int, typer.Option(min=16, max=8192, help="tokens of the one user's request")] = 64,
    approve: Annotated[str, typer.Option(help="your name: you have read the arm that is code")] = "",
    users_accept: Annotated[
        bool, typer.Option("--users-accept", help="users know; needed if nobody can count them")
    ] = False,
    take_over: Annotated[bool, typer.Option(help="take over a lease whose owner is gone")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="production may be away for two launches")] = False,
    workspace: Annotated[Path | None, typer.Option(help="the workspace; default: the one you are in")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="as JSON")] = False,
) -> None:
    """Launch once under a profiler, one file a process, then again without it; production comes back."""
    place = Place.find(workspace)
    known, digest = place.target(target)
    given = Arm.from_toml(arm) if arm else None
    if given is not None and given.is_code and not approve:
        raise BadFileError(f"arm {given.name!r} runs code that is not production's; read it and say --approve NAME")
    words = tuple(shlex.split(instrument)) or NSYS
    question = Question(known, digest, given, words, tokens, Politeness(users_accept=users_accept))
    if not yes:
        _confirm(target)
    if take_over:
        run_interruptible(forget_elsewhere(state_dir(place.folder, known), known))
    with place.ledger() as ledger:

        def tell(words: str) -> None:
            if not as_json:
                say(f"  {words}")

        outcome = run_interruptible(profile(question, place.folder, ledger, tell, take_over=take_over))
    if isinstance(outcome, NotProfiled):
        raise fail(outcome.sentence, stands=outcome.down)
    _print(outcome, as_json=as_json)
    raise typer.Exit(GOOD if outcome.good else NEGATIVE)


def _print(outcome: Profiled, *, as_json: bool) -> None:
    if as_json:
        print_json(outcome.as_json())
        return
    say(outcome.sentence)
    for one in outcome.files:
        say(f"  {one.path} {one.bytes:,} bytes{f', pid {one.pid}' if one.pid is not None else ''}")
    if outcome.without_file:
        say(f"  no file of pids {', '.join(str(pid) for pid in outcome.without_file)}")


def _confirm(target: str) -> None:
    if not sys.stdin.isatty():
        raise BadFileError(f"production of {target!r} would be away for two launches; say --yes if that may be")
    if not typer.confirm("May production be away for two launches?"):
        raise fail("Nothing was stopped.")
