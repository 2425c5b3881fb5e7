"""`committee pull`: what the server really compiles, and its engine's flags, fetched into the proposal."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from committee.cli.workspaces import ProposalArgument, WorkspaceOption
from committee.proposals.folder import load
from committee.pull import inventory, manifest
from committee.pull.fetch import Pulled, pull
from committee.workspace import Workspace
from harness.cli.speak import say
from harness.vocabulary.base import BadFileError
from harness.workflow.production import state_dir

commands = typer.Typer(add_completion=False)


@commands.command("pull")
def pull_command(
    proposal: ProposalArgument,
    target: Annotated[str | None, typer.Option(help="must be the proposal's target; a safeguard in scripts")] = None,
    workspace: WorkspaceOption = None,
) -> None:
    """Fetch what the target's server really compiles, and its engine's flags, into the proposal."""
    place = Workspace.find(workspace)
    folder = place.proposal_folder(proposal)
    header = load(folder).header
    if target not in (None, header.target):
        raise BadFileError(f"{header.id!r} is about target {header.target!r}, not {target!r}")
    known, _ = place.target(header.target)
    pulled = asyncio.run(pull(state_dir(place.folder, known), known))
    for path in write(folder, pulled):
        say(f"wrote {path}")
    say(f"run `committee check {header.id}`; what was there before is in git, if you committed it")


def write(folder: Path, pulled: Pulled) -> tuple[str, ...]:
    """Write the files, the manifest and the inventory; the paths that changed. Raises BadFileError, OSError."""
    contents = (
        *pulled.files,
        (manifest.MANIFEST, manifest.as_toml(pulled.manifest).encode()),
        (inventory.INVENTORY, inventory.as_toml(pulled.inventory).encode()),
    )
    changed: list[str] = []
    for path, _ in contents:
        _refuse_links(folder, path)
    for path, content in contents:
        place = folder / path
        if place.is_file() and place.read_bytes() == content:
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
        changed.append(path)
    return tuple(changed)


def _refuse_links(folder: Path, path: str) -> None:
    """A link on the way would write somewhere else."""
    for part in (folder / path, *(folder / path).parents):
        if part == folder:
            return
        if part.is_symlink():
            raise BadFileError(f"{str(part)!r} is a symbolic link; remove it, then pull again")
