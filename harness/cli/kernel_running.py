"""`harness kernel run` and `compare`: arms proved and timed on this machine."""

import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from harness.cli import kernel_reports
from harness.cli.kernel_options import ARMS, FOLDER, JSON, SEED, TRUSTED, cubin_cache, show_wide
from harness.cli.place import Place
from harness.cli.speak import NEGATIVE, fail, print_json, say
from harness.kernels.bench.plan import Plan
from harness.kernels.bench.results import Report
from harness.kernels.cards import cards, needs_card
from harness.kernels.compare import Row
from harness.kernels.compare import compare as compared
from harness.kernels.folder import Folder, read_folder
from harness.kernels.pack import Packed
from harness.kernels.pack import pack as packed
from harness.kernels.run import Asked, run_pack
from harness.kernels.verdicts import keep_beside, new_run, record

commands = typer.Typer(add_completion=False)


@commands.command("run")
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


@commands.command("compare")
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
    kept = _kept(read, plan, report, rows)
    if as_json:
        print_json({"report": asdict(report), "rows": [asdict(row) for row in rows], "kept": kept})
    else:
        _say_proofs(report)
        if rows:
            show_wide(kernel_reports.compared_table(rows, plan.baseline))
        for line in kernel_reports.slot_words(report):
            say(line)
        for line in kernel_reports.machine_words(report):
            say(line)
        say(kept)
    if report.fault or not rows:
        raise typer.Exit(1)


def _kept(read: Folder, plan: Plan, report: Report, rows: Sequence[Row]) -> str:
    """Verdicts go into the ledger of the workspace that holds the task, else into a file beside it; says where."""
    run = new_run(datetime.now(UTC))
    holding = [folder for folder in read.path.parents if (folder / "targets").is_dir()]
    if not holding:
        return f"kept as {str(keep_beside(read.path, run, report, rows, plan))!r}; no workspace holds this task"
    place = Place.find(holding[0])
    with place.ledger() as ledger:
        verdicts = record(ledger, run, report, rows, plan)
    return f"{len(verdicts)} verdicts of run {run!r} are in the ledger of {str(place.folder)!r}"


def _ran(read: Folder, asked: Asked, unconfined: bool) -> tuple[Plan, Report]:
    if said := needs_card(read.task.language, cards(), str(read.path)):
        raise fail(said, NEGATIVE)
    with tempfile.TemporaryDirectory() as scratch:
        made: Packed = packed(read, Path(scratch) / "pack", unconfined=unconfined, cache=cubin_cache())
        return made.plan, run_pack(made, asked)


def _known(read: Folder, names: list[str] | None, wrong: bool) -> tuple[str, ...]:
    there = [arm.name for arm in read.arms if arm.wrong == wrong]
    for name in names or []:
        if name not in there:
            raise fail(f"{read.name!r} has no arm {name!r} there; choose from: {', '.join(there)}", 2)
    return tuple(names or ())


def _say_proofs(report: Report) -> None:
    if report.arms:
        show_wide(kernel_reports.proof_table(report))
    for line in kernel_reports.proof_words(report):
        say(line)
    if report.fault:
        say(f"INPUT_WRONG: {report.fault}", "red")
