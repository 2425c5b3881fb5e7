"""`harness kernel check|run|compare|pack`: a kernel task by itself. Nothing of a server is read or touched."""

import tempfile
import time
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from harness.cli import kernel_tables
from harness.cli.speak import fail, out, print_json, say
from harness.kernels.bench.plan import Plan
from harness.kernels.bench.results import Report
from harness.kernels.building import BuiltArm, build
from harness.kernels.compare import compare as compared
from harness.kernels.confine import best_way
from harness.kernels.folder import Folder, read_folder
from harness.kernels.pack import NO_WAY, Packed
from harness.kernels.pack import pack as packed
from harness.kernels.run import Asked, run_pack

WIDTH = 150
commands = typer.Typer()
kernel = typer.Typer(
    no_args_is_help=True, help="Compile, prove and compare the kernels of a task folder; no server is touched."
)
commands.add_typer(kernel, name="kernel")

FOLDER = Annotated[Path, typer.Argument(metavar="FOLDER", help="the task's folder, with task.toml")]
ARMS = Annotated[list[str] | None, typer.Option("--arm", help="only this arm; may be given several times")]
SEED = Annotated[int | None, typer.Option(min=0, help="seed of inputs and order; a new one each time if none")]
TRUSTED = Annotated[bool, typer.Option("--unconfined", help="compile and run with your own rights: your own code only")]
JSON = Annotated[bool, typer.Option("--json", help="as JSON")]


@commands.callback()
def _group() -> None:
    """Keeps `kernel` a group of its own."""


@kernel.command("check")
def check(folder: FOLDER, unconfined: TRUSTED = False, as_json: JSON = False) -> None:
    """Without a card: read the folder, compile every arm, show registers, shared memory, spills and occupancy."""
    began = time.monotonic()
    read = read_folder(folder)
    way = best_way(unconfined)
    if way is None:
        raise fail(NO_WAY)
    with tempfile.TemporaryDirectory() as scratch:
        built = build(read, Path(scratch), way)
    seconds = time.monotonic() - began
    bad = [one for one in built if unexpected(one)]
    if as_json:
        print_json(
            {"task": read.name, "sha256": read.sha256, "seconds": seconds, "arms": [_plain(one) for one in built]}
        )
    else:
        _show(kernel_tables.built_table(built))
        for one in built:
            for line in kernel_tables.built_words(one):
                say(line)
        said = f"{len(built)} arms of {read.name!r} compiled in {seconds:.1f} s ({way.value})"
        say(f"{said}; {len(bad)} not as they should be" if bad else f"{said}; all as they should be")
    if bad:
        raise typer.Exit(1)


@kernel.command("pack")
def pack(
    folder: FOLDER,
    into: Annotated[Path, typer.Argument(metavar="INTO", help="new or empty folder for the pack")],
    unconfined: TRUSTED = False,
) -> None:
    """Compile here, run elsewhere: objects, plan and runner for a machine with Python, NumPy and cuda-core only."""
    made = packed(read_folder(folder), into, unconfined=unconfined)
    refused = [arm for arm in made.plan.arms if arm.refused and not arm.expected]
    for arm in refused:
        say(f"{arm.name}: {arm.refused}: {arm.detail}")
    say(f"packed {len(made.plan.arms)} arms into {str(made.path)!r}; there: python runner.py . OUT.json --time")
    if refused:
        raise typer.Exit(1)


@kernel.command("run")
def run(
    folder: FOLDER,
    arm: ARMS = None,
    wrong: Annotated[
        bool, typer.Option("--wrong", help="try that every known-wrong arm is caught, with its reason")
    ] = False,
    seed: SEED = None,
    unconfined: TRUSTED = False,
    as_json: JSON = False,
) -> None:
    """Prove each arm right, or say why not. With --wrong: every known-wrong arm must be caught with its own reason."""
    read = read_folder(folder)
    names = _known(read, arm, wrong)
    _, report = _ran(read, Asked(names, wrong=wrong, seed=seed), unconfined)
    if as_json:
        print_json(asdict(report))
    else:
        _say_proofs(report)
    if report.fault or any(one.reason != one.expected for one in report.arms):
        raise typer.Exit(1)


@kernel.command("compare")
def compare(
    folder: FOLDER,
    arm: ARMS = None,
    seed: SEED = None,
    unconfined: TRUSTED = False,
    as_json: JSON = False,
) -> None:
    """Prove the arms, time those that are right in blocks with the baseline and its placebo, and give verdicts."""
    read = read_folder(folder)
    plan, report = _ran(read, Asked(_known(read, arm, False), time=True, seed=seed), unconfined)
    rows = compared(report, plan)
    if as_json:
        print_json({"report": asdict(report), "rows": [asdict(row) for row in rows]})
    else:
        _say_proofs(report)
        if rows:
            _show(kernel_tables.compared_table(rows, plan.baseline))
        for line in kernel_tables.slot_words(report):
            say(line)
        for line in kernel_tables.machine_words(report):
            say(line)
    if report.fault or not rows:
        raise typer.Exit(1)


def unexpected(built: BuiltArm) -> bool:
    """An arm that was not built, or a known-wrong one that the compiler had to refuse and did not."""
    reason = built.refused.reason.value if built.refused else ""
    at_build = built.arm.arm.reason in kernel_tables.AT_BUILD
    return reason != (built.arm.arm.reason if at_build else "")


def _ran(read: Folder, asked: Asked, unconfined: bool) -> tuple[Plan, Report]:
    with tempfile.TemporaryDirectory() as scratch:
        made: Packed = packed(read, Path(scratch) / "pack", unconfined=unconfined)
        return made.plan, run_pack(made, asked)


def _known(read: Folder, names: list[str] | None, wrong: bool) -> tuple[str, ...]:
    there = [arm.name for arm in read.arms if arm.wrong == wrong]
    for name in names or []:
        if name not in there:
            raise fail(f"{read.name!r} has no arm {name!r} there; choose from: {', '.join(there)}", 2)
    return tuple(names or ())


def _say_proofs(report: Report) -> None:
    if report.arms:
        _show(kernel_tables.proof_table(report))
    for line in kernel_tables.proof_words(report):
        say(line)
    if report.fault:
        say(f"INPUT_WRONG: {report.fault}", "red")


def _show(table: Table) -> None:
    """Never narrower than its words need: in a pipe a cut word helps nobody."""
    Console(width=max(out.width, WIDTH)).print(table)


def _plain(built: BuiltArm) -> dict[str, object]:
    return {"name": built.arm.name, "built": [asdict(one) for one in built.built]}
