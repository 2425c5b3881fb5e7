"""`committee ledger rebuild|copy|withhold`: what is done to a ledger as a whole. Its entries are never changed."""

import os
from typing import Annotated

import typer

from committee.cli.workspaces import WorkspaceOption
from committee.workspace import Workspace
from harness.cli.speak import say
from ledger.copying import copy_ledger
from ledger.records import place_named
from ledger.withhold import Wanted
from ledger.withhold import withhold as withheld

OF_A_SERVER = "its tables were written anew; the server's own log keeps what it keeps"
commands = typer.Typer(add_completion=False)
work = typer.Typer(no_args_is_help=True, help="Refill tables, copy to another database, or withhold a leaked secret.")
commands.add_typer(work, name="ledger")


@commands.callback()
def group() -> None:
    """Nothing of its own: without it a lone group would lose its name."""


@work.command("rebuild")
def rebuild(workspace: WorkspaceOption = None) -> None:
    """Refill every table that is computed from the entries, and put missing guards back."""
    place = Workspace.find(workspace)
    count = place.records.rebuild(place.actor)
    say(f"tables refilled from {count} entries; `committee verify` compares them")


@work.command("copy")
def copy(
    source: Annotated[
        str,
        typer.Argument(help="a ledger: its file, postgresql://user@host/database, or env:NAME of a variable with it"),
    ],
    to: Annotated[str, typer.Argument(help="where nothing is yet: a file, or an empty database, named alike")],
) -> None:
    """Copy a whole ledger between a file and PostgreSQL, byte for byte, and verify what came out."""
    made = copy_ledger(place_named(source, os.environ), place_named(to, os.environ))
    head = f"ends at #{made.head.seq} {made.head.id[:12]}" if made.head else "is empty"
    say(f"{made.entries} entries and {made.blobs} blobs copied and verified; the chain is the same and {head}")


@work.command("withhold")
def withhold(
    reason: Annotated[str, typer.Option(help="why, in your own words, without the secret")],
    entry: Annotated[list[str] | None, typer.Argument(help="entries: sequence numbers or first digits of ids")] = None,
    blob: Annotated[list[str] | None, typer.Option(help="first digits of a blob's hash; repeat for more")] = None,
    person: Annotated[str | None, typer.Option(help="who decides; default: you on this machine")] = None,
    workspace: WorkspaceOption = None,
) -> None:
    """Take a leaked secret's payload or blob out for good; a tombstone entry says so and the chain stays whole."""
    with Workspace.find(workspace).ledger() as ledger:
        wanted = Wanted(tuple(entry or ()), tuple(blob or ()))
        done = withheld(ledger, wanted, reason=reason, person=person or ledger.actor)
        left = f"no old bytes of that are left in {ledger.path}" if ledger.database.file else OF_A_SERVER
    tombstones = ", ".join(f"#{seq}" for seq in done.tombstones)
    said = f"{len(wanted.entries)} payloads and {len(wanted.blobs)} blobs are withheld, tombstone {tombstones}"
    if done.before:
        said = f"what you named was withheld already, tombstone {tombstones}, and {left}"
    say(f"{said}; copies and backups made before still hold them, and so may git: change the secret")
