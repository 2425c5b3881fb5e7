"""`harness doctor`: can this machine do the work? Each line is a check with what to do about it."""

import asyncio
import ctypes
import os
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from harness.cli.place import Place
from harness.cli.speak import GOOD, NEGATIVE, print_json, say
from harness.gates.quiet import unread_limits
from harness.hosts.connection import GuardianError
from harness.hosts.looking import machine
from harness.machineview import cards
from harness.vocabulary.base import BadFileError
from harness.vocabulary.target import Quiet, Target
from harness.workflow.carrier import onlooker
from harness.workflow.present import absent
from harness.workflow.production import state_dir
from ledger.extras import install

Check = tuple[str, bool, str]
PR_GET_CHILD_SUBREAPER = 37
DEVICES = Path("/dev")  # where a driver puts one file for each card
INSTALL = "install nvidia-ml-py (the extra `cards`) into the Python that the harness has on that machine"
commands = typer.Typer(add_completion=False)


def _python() -> Check:
    return "python", sys.version_info >= (3, 11), f"{sys.version.split()[0]} (3.11 or newer is needed)"


def _subreaper() -> Check:
    value = ctypes.c_int()
    asked = ctypes.CDLL(None, use_errno=True).prctl(PR_GET_CHILD_SUBREAPER, ctypes.byref(value), 0, 0, 0)
    return "subreaper", asked == 0, "the kernel can hand orphans to the guardian" if asked == 0 else "needs Linux 3.4"


def _pidfd() -> Check:
    there = hasattr(os, "pidfd_open")
    return "pidfd", there, "processes are held by pidfd" if there else "falls back to pid and start time"


def _proc() -> Check:
    there = Path("/proc/self/stat").exists()
    return "procfs", there, "/proc is mounted" if there else "/proc is needed to tell processes apart"


def _cores() -> Check:
    cores = os.cpu_count() or 1
    return "cores", cores >= 2, f"{cores} (the demo's figures want 2)"


def _engine() -> Check:
    there = find_spec("xllamacpp") is not None
    return (
        "embedded engine",
        there,
        "xllamacpp is installed" if there else install("demo"),
    )


def cards_read(devices: Path = DEVICES) -> Check:
    """Whether cards of this machine can be read; a machine without one is as good."""
    there, seen = len(list(devices.glob("nvidia[0-9]*"))), len(cards())
    if seen:
        return "cards", True, f"{seen} can be read: their memory, heat, throttling and processes"
    if there:
        return (
            "cards",
            False,
            f"{there} NVIDIA, and none can be read, so only the host's memory is waited for; {INSTALL}",
        )
    return "cards", True, f"no NVIDIA card is here; where there is one, {INSTALL}"


def _target(target: Target, place: Place) -> list[Check]:
    """Whether its program and model are on its host and what it limits can be read there; nothing is started."""

    async def asked() -> tuple[str | None, tuple[str, ...]]:
        async with onlooker(state_dir(place.folder, target), target) as looking:
            lacking = await absent(target, (), looking, None if target.host else place.folder)
            reading = None if target.quiet == Quiet() else await machine(looking, None)
            return lacking, unread_limits(target.quiet, reading, reading) if reading else ()

    try:
        lacking, unread = asyncio.run(asked())
    except GuardianError as error:
        lacking, unread = str(error), ()
    there = lacking or "its program is there, and its model where it names a file"
    todo = "; ".join((*unread, "it will not be measured; make that known or take the limit out"))
    limits = [(f"[quiet] of {target.name}", False, todo)] if unread else []
    return [(f"baseline of {target.name}", lacking is None, there), *limits]


CHECKS: tuple[Callable[[], Check], ...] = (_python, _proc, _subreaper, _pidfd, _cores, _engine, cards_read)


@commands.command("doctor")
def doctor(
    workspace: Annotated[Path | None, typer.Option(help="the workspace; default: the one you are in")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="as JSON")] = False,
) -> None:
    """Check this machine and the workspace's targets."""
    results = [check() for check in CHECKS]
    try:
        place = Place.find(workspace)
        known, bad = place.all_targets()
        names = ", ".join(target.name for target in known)
        results.append(("targets", bool(known), names or "none can be used; write targets/NAME.toml (docs/targets.md)"))
        results += [check for target in known for check in _target(target, place)]
        results += [("target", False, sentence) for sentence in bad]
    except BadFileError as error:
        results.append(("targets", False, str(error)))
    if as_json:
        print_json([{"check": name, "good": good, "detail": detail} for name, good, detail in results])
    else:
        for name, good, detail in results:
            say(f"{'good' if good else 'LOOK':4}  {name}: {detail}")
    raise typer.Exit(GOOD if all(good for _, good, _ in results) else NEGATIVE)
