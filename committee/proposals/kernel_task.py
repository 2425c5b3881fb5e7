"""The kernel task that a proposal carries in kernel/ or names in its header: read, never compiled or run here."""

import tempfile
from pathlib import Path

from committee.proposals.complaint import Complaint, error, note
from committee.proposals.folder import CRITERIA, HEADER
from committee.proposals.includes import KERNEL
from committee.vocabulary.proposal import FrozenRevision, LoadedProposal
from harness.kernels.folder import TASK, Folder, read_folder
from harness.vocabulary.base import BadFileError

TASKS = "kernels"  # of the workspace


def kernel_task(proposal: LoadedProposal, revision: FrozenRevision) -> list[Complaint]:
    """What is wrong with the task; without one a note that only the server decides."""
    carried, named = KERNEL + TASK in dict(revision.files), proposal.header.task
    if carried and named is not None:
        return [error(HEADER, f"task names {named!r}, but kernel/ holds a task of its own; keep one of them")]
    try:
        if carried:
            _read(revision)
        elif named is not None:
            return [_named(proposal, named)]
        else:
            said = (
                "kernel/ holds no task.toml and the header names no task, so these criteria decide at the server only"
            )
            return [note(CRITERIA, f"{said}; docs/kernels.md describes a task")]
    except BadFileError as fault:
        return [error(KERNEL if carried else HEADER, str(fault))]
    return []


def _read(revision: FrozenRevision) -> Folder:
    """The frozen task, in a folder that is gone afterwards. Raises BadFileError, its paths as the proposal's."""
    with tempfile.TemporaryDirectory() as scratch:
        for path, content in revision.files:
            if path.startswith(KERNEL):
                file = Path(scratch).resolve() / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(content)
        try:
            return read_folder(Path(scratch) / KERNEL)
        except BadFileError as fault:
            raise BadFileError(str(fault).replace(f"{Path(scratch).resolve()}/", "")) from None


def _named(proposal: LoadedProposal, name: str) -> Complaint:
    """A task of the workspace, with the hash that says which one it was."""
    folder = read_folder(proposal.folder.resolve().parent.parent / TASKS / name)
    return note(HEADER, f"task {name!r} is {folder.task.title!r}, SHA-256 {folder.sha256[:16]}")
