"""`harness kernel`: a kernel task by itself. No server is touched, and `check` loads no statistics."""

import typer

from harness.cli.subcommands import Entry, Subcommands

COMMANDS: dict[str, Entry] = {
    "check": Entry(
        "harness.cli.kernel_building",
        "Without a card: read the folder, compile every arm, show registers, shared memory, spills and occupancy.",
    ),
    "pack": Entry(
        "harness.cli.kernel_building",
        "Compile here, run elsewhere: objects, plan and runner for a machine with Python, NumPy and cuda-core only.",
    ),
    "run": Entry(
        "harness.cli.kernel_running",
        "Prove each arm right, or say why not. With --wrong: every known-wrong arm must be caught with its own reason.",
    ),
    "compare": Entry(
        "harness.cli.kernel_running",
        "Prove the arms, time those that are right in blocks with the baseline and its placebo, and give verdicts.",
    ),
}


class KernelBench(Subcommands):
    """The kernel bench's subcommands."""

    table = COMMANDS


commands = typer.Typer(add_completion=False)
kernel = typer.Typer(
    cls=KernelBench,
    no_args_is_help=True,
    help="Compile, prove and compare the kernels of a task folder; no server is touched.",
)
commands.add_typer(kernel, name="kernel")


@kernel.callback()
def task_group() -> None:
    """Nothing of its own: a group needs a function to hang its help on."""


@commands.callback()
def group() -> None:
    """Keeps `kernel` a group of its own."""
