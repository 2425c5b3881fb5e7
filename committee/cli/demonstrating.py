"""`committee demo`: the whole loop in a scratch workspace, and where to find what it left."""

import shlex
import shutil
import sys
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from committee.cli.demo_loop import demonstrate
from committee.making import EXAMPLE
from harness.cli.speak import fail, out, run_interruptible, say

commands = typer.Typer(add_completion=False)

STOPPED = "stopped by a person; its server is stopped, the scratch workspace and its record are kept"


@commands.command("demo")
def demo(
    folder: Annotated[Path | None, typer.Option(help="where to work; default: a new folder here")] = None,
) -> None:
    """Submit, review, measure, accept and verify the shipped example on a real llama.cpp server on this CPU."""
    place = folder or Path(f"committee-demo-{datetime.now().astimezone():%Y%m%d-%H%M%S}")
    ended = run_interruptible(demonstrate(place, out), STOPPED)
    for name, path in (
        ("brief", ended.folder / "proposals" / EXAMPLE / "brief.html"),
        ("report", ended.folder / "report.html"),
        ("ledger", ended.folder / "records.db"),
    ):
        if path.exists():
            say(f"{name}: {path}")
    say("go on by hand; this starts its server again first:")
    harness, committee = (_program(name) for name in ("harness", "committee"))
    say(f"  cd {shlex.quote(str(ended.folder))} && {harness} start local-llamacpp && {committee} rank {EXAMPLE}")
    if ended.sentence:
        raise fail(ended.sentence)


def _program(name: str) -> str:
    """How it is called from a shell that has not activated this environment."""
    if shutil.which(name):
        return name
    beside = Path(sys.executable).with_name(name)
    return shlex.quote(str(beside)) if beside.is_file() else name
