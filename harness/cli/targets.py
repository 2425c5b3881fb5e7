"""`harness targets`: which servers can be measured from here."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Column, Table

from harness.cli.narrow import print_table
from harness.cli.place import Place, say_bad
from harness.cli.speak import fail, out, print_json
from harness.cli.terminal import cells
from harness.vocabulary.target import Target
from harness.workflow.open_secrets import open_secrets

commands = typer.Typer(add_completion=False)


@commands.command("targets")
def targets(
    workspace: Annotated[Path | None, typer.Option(help="the workspace; default: the one you are in")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="as JSON")] = False,
) -> None:
    """List the targets of the workspace."""
    known, bad = Place.find(workspace).all_targets()
    if as_json:
        print_json([_printable(target) for target in known])
    else:
        print_table(out, _table(known))
    for said in filter(None, map(open_secrets, known)):
        fail(said)  # said, and no failure: the target can be used
    say_bad(bad)


def _printable(target: Target) -> dict[str, Any]:
    """The target's file as JSON; of variables that may not be recorded, the names only."""
    value: dict[str, Any] = target.model_dump(mode="json", by_alias=True)
    env: dict[str, str] = value["baseline"]["env"]
    value["baseline"]["env"] = {name: said if name in target.recorded_env else None for name, said in env.items()}
    return value


def _table(known: tuple[Target, ...]) -> Table:
    table = Table(Column("target", overflow="fold"), "engine", "users", "flags an arm may set", "what it is")
    for target in known:
        flags = ", ".join(target.allowed_flags)
        table.add_row(*cells(target.name, target.adapter, str(target.users), flags, target.title))
    return table
