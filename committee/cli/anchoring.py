"""`committee anchor|export`: what makes the ledger checkable by somebody who has neither it nor our programs."""

from pathlib import Path
from typing import Annotated

import typer
from git import GitCommandError

from committee.accept.pins import keep_in_note, pinned_objects
from committee.asking_git import has_commit
from committee.cli.workspaces import WorkspaceOption
from committee.repository import open_repository, words_of
from committee.workspace import Workspace
from harness.cli.speak import fail, print_json, say
from ledger.anchor import anchor as anchored
from ledger.export import export as exported

commands = typer.Typer(add_completion=False)
SHORT = 12  # hexadecimal digits of a hash that are shown

JsonOption = Annotated[bool, typer.Option("--json", help="as JSON")]


@commands.command("anchor")
def anchor(workspace: WorkspaceOption = None, as_json: JsonOption = False) -> None:
    """Pin the ledger's head and the root over all its entries in a git note, outside the ledger's own file."""
    place = Workspace.find(workspace)
    repo = open_repository(place.folder)
    if isinstance(repo, str):
        raise fail(repo)
    if not has_commit(repo):
        raise fail(f"the git repository of {str(place.folder)!r} has no commit yet; commit once first")
    with repo, place.ledger() as ledger:
        pin = anchored(ledger)
        try:
            commit = keep_in_note(repo, pin, ledger.actor)
        except GitCommandError as error:
            said = f"checkpoint #{pin.head.seq} is on record, but git took no note of it"
            raise fail(f"{said} ({words_of(error)}); mend that and anchor again") from error
    root = pin.root.root if pin.root else ""
    if as_json:
        print_json({"seq": pin.head.seq, "id": pin.head.id, "root": root, "commit": commit})
        return
    say(f"entry #{pin.head.seq} {pin.head.id[:SHORT]} and root {root[:SHORT]} are pinned in a note on {commit[:SHORT]}")
    say("git pushes notes only when told to: git push origin refs/notes/ledger")


@commands.command("export")
def export(
    entry: Annotated[str, typer.Argument(help="sequence number or the first digits of an id")],
    out: Annotated[Path | None, typer.Option(help="the new folder; default: entry-SEQ in the present one")] = None,
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write one entry as a folder that proves itself: its bytes, blobs, proof, pins, and the program that checks."""
    place = Workspace.find(workspace)
    pins = pinned_objects(place.folder)
    with place.ledger() as ledger:
        seq = ledger.find(entry).seq
        made = exported(ledger, f"#{seq}", out or Path(f"entry-{seq}"), pins)
    if as_json:
        print_json(
            {
                "folder": str(made.folder),
                "seq": seq,
                "id": made.entry.id,
                "size": made.size,
                "root": made.root,
                "pins": [one.said for one in made.pins],
            }
        )
        return
    say(f"entry #{seq} is in {made.folder}; check it anywhere with: python3 -I {made.folder / 'check.py'}")
    if made.pins:
        say(f"its root over {made.size} entries is pinned by: {', '.join(one.said for one in made.pins)}")
    else:
        say("no pin covers it yet; run `committee anchor` and export it again")
