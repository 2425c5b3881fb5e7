"""`harness kernel check` and `pack`: what is done without a card."""

import tempfile
import time
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from harness.cli import kernel_tables
from harness.cli.kernel_options import FOLDER, JSON, TRUSTED, cubin_cache, show_wide
from harness.cli.speak import fail, print_json, say
from harness.confinement import CannotConfine
from harness.kernels.building import BuiltArm, build, unexpected
from harness.kernels.confine import best_way
from harness.kernels.folder import read_folder
from harness.kernels.needed import needed
from harness.kernels.pack import pack as packed
from harness.kernels.pack import unshut

commands = typer.Typer(add_completion=False)


@commands.command("check")
def check(
    folder: FOLDER,
    every: Annotated[
        bool, typer.Option("--all-architectures", help="known-wrong arms too for every architecture, not their first")
    ] = False,
    unconfined: TRUSTED = False,
    as_json: JSON = False,
) -> None:
    """Without a card: read the folder, compile every arm, show registers, shared memory, spills and occupancy."""
    began = time.monotonic()
    read, needs = read_folder(folder), needed(folder)
    way = best_way(unconfined)
    if isinstance(way, CannotConfine):
        raise fail(unshut(way))
    with tempfile.TemporaryDirectory() as scratch:
        built = build(read, Path(scratch), way, cubin_cache(), every=every)
    seconds = time.monotonic() - began
    bad = [one for one in built if unexpected(one)]
    if as_json:
        print_json(
            {
                "task": read.name,
                "sha256": read.sha256,
                "seconds": seconds,
                "needs": [asdict(one) for one in needs],
                "arms": [_plain(one) for one in built],
            }
        )
    else:
        show_wide(kernel_tables.built_table(built))
        for one in built:
            for line in kernel_tables.built_words(one):
                say(line)
        for need in needs:
            say(need.sentence)
        said = f"{len(built)} arms of {read.name!r} compiled in {seconds:.1f} s ({way.value})"
        say(f"{said}; {len(bad)} not as they should be" if bad else f"{said}; all as they should be")
    if bad:
        raise typer.Exit(1)


@commands.command("pack")
def pack(
    folder: FOLDER,
    into: Annotated[Path, typer.Argument(metavar="INTO", help="new or empty folder for the pack")],
    unconfined: TRUSTED = False,
) -> None:
    """Compile here, run elsewhere: objects, plan and runner for a machine with Python, NumPy and cuda-core only."""
    read, needs = read_folder(folder), needed(folder)
    made = packed(read, into, unconfined=unconfined)
    for need in needs:
        say(need.sentence)
    refused = [arm for arm in made.plan.arms if arm.refused and not arm.expected]
    for arm in refused:
        say(f"{arm.name}: {arm.refused}: {arm.detail}")
    say(f"packed {len(made.plan.arms)} arms into {str(made.path)!r}; there: python runner.py . OUT.json --time")
    if refused:
        raise typer.Exit(1)


def _plain(built: BuiltArm) -> dict[str, object]:
    return {"name": built.arm.name, "built": [asdict(one) for one in built.built]}
