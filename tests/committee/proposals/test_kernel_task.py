"""A kernel proposal carries a task in kernel/ or names one of the workspace; both are read before a paid call."""

import shutil
from pathlib import Path

import pytest

from committee.making import init, new
from committee.proposals.check import check
from committee.proposals.complaint import Complaint, Severity
from committee.proposals.folder import load
from committee.proposals.revision import freeze
from committee.workspace import Workspace
from harness.kernels.folder import read_folder
from tests.harness.kernels.tasks import SAXPY


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """With one task in kernels/."""
    made = init(tmp_path_factory.mktemp("kernels") / "w")
    shutil.copytree(SAXPY, made.folder / "kernels" / "saxpy_c")
    return made


def said_of(workspace: Workspace, folder: Path) -> list[Complaint]:
    """What `check` says about kernel/ and the header's task."""
    target = workspace.target("local-llamacpp")[0]
    found = check(load(folder), freeze(folder), target, None)
    return [one for one in found if "task" in one.sentence]


def test_a_new_proposal_carries_a_task_that_can_be_read(workspace: Workspace) -> None:
    folder = new(workspace, "carries", "kernel")
    task = read_folder(folder / "kernel")
    assert [arm.name for arm in task.arms] == ["baseline", "no_op"]
    assert task.task.entry == "scale"
    assert said_of(workspace, folder) == []


def test_a_fault_of_a_carried_task_stops_a_paid_call(workspace: Workspace) -> None:
    folder = new(workspace, "faulty", "kernel")
    file = folder / "kernel" / "task.toml"
    file.write_text(file.read_text().replace('shape = ["n"]', 'shape = ["m"]'))
    (said,) = said_of(workspace, folder)
    assert (said.severity, said.where) == (Severity.ERROR, "kernel/")
    assert said.sentence.startswith("'kernel/task.toml': ")  # and not where it was read
    assert "'m' is no name of the shape" in said.sentence


def named(workspace: Workspace, slug: str, task: str) -> Path:
    """A proposal that names a task and carries none."""
    folder = new(workspace, slug, "kernel")
    (folder / "kernel" / "task.toml").unlink()
    header = folder / "proposal.toml"
    header.write_text(header.read_text().replace('kind = "kernel"', f'kind = "kernel"\ntask = "{task}"'))
    return folder


def test_a_named_task_is_noted_with_its_hash(workspace: Workspace) -> None:
    (said,) = said_of(workspace, named(workspace, "names", "saxpy_c"))
    assert said.severity is Severity.NOTE
    assert read_folder(workspace.folder / "kernels" / "saxpy_c").sha256[:16] in said.sentence


def test_a_task_that_is_not_there_is_an_error(workspace: Workspace) -> None:
    (said,) = said_of(workspace, named(workspace, "misnames", "gone"))
    assert (said.severity, said.where) == (Severity.ERROR, "proposal.toml")
    assert "holds no task.toml, so it is no task's folder" in said.sentence


def test_two_tasks_are_one_too_many(workspace: Workspace) -> None:
    folder = named(workspace, "both", "saxpy_c")
    shutil.copy(SAXPY / "task.toml", folder / "kernel")
    (said,) = said_of(workspace, folder)
    assert said.sentence == "task names 'saxpy_c', but kernel/ holds a task of its own; keep one of them"


def test_no_task_leaves_the_decision_to_the_server(workspace: Workspace) -> None:
    folder = new(workspace, "without", "kernel")
    (folder / "kernel" / "task.toml").unlink()
    (said,) = said_of(workspace, folder)
    assert said.severity is Severity.NOTE
    assert "these criteria decide at the server only" in said.sentence
