"""The kernel task of a revision as a folder that the bench can build: carried in kernel/, or one of the workspace."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from committee.vocabulary.proposal import FrozenRevision, LoadedProposal
from harness.kernels.folder import TASK, Folder, read_folder

CARRIED = "kernel/"  # of a proposal
TASKS = "kernels"  # of the workspace


@dataclass(frozen=True)
class KernelTask:
    """A task that was read whole, and where a person finds it."""

    folder: Folder
    carried: bool
    shown: str  # its path as one would type it in the workspace


def has_task(proposal: LoadedProposal, revision: FrozenRevision) -> bool:
    """Whether the proposal is about a kernel that the bench can judge."""
    carried = CARRIED + TASK in dict(revision.files)
    return proposal.header.kind == "kernel" and (carried or proposal.header.task is not None)


@contextmanager
def task_of(workspace: Path, proposal: LoadedProposal, revision: FrozenRevision) -> Iterator[KernelTask]:
    """The task, as long as the block lasts: a carried one exactly as it was frozen, named as its proposal is.

    Raises BadFileError, its paths as the proposal's.
    """
    if CARRIED + TASK not in dict(revision.files):
        folder = workspace / TASKS / (proposal.header.task or "")
        yield KernelTask(read_folder(folder), carried=False, shown=f"{TASKS}/{folder.name}")
        return
    with tempfile.TemporaryDirectory(prefix="committee-kernel-") as scratch:
        Path(scratch).chmod(0o755)  # compilers are shut in as nobody
        folder = Path(scratch).resolve() / proposal.header.id
        for path, content in revision.files:
            if path.startswith(CARRIED):
                file = folder / path.removeprefix(CARRIED)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(content)
        yield KernelTask(read_folder(folder), carried=True, shown=f"proposals/{proposal.header.id}/kernel")
