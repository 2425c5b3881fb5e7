"""Small task folders for tests: the shipped example, copied and changed."""

import shutil
from pathlib import Path

from harness.kernels.bench.plan import Plan
from harness.kernels.folder import read_folder
from harness.kernels.planned import Made, plan_of

ROOT = Path(__file__).resolve().parents[3]
SAXPY = ROOT / "kernels" / "saxpy_c"
SAXPY_CUDA = ROOT / "kernels" / "saxpy_cuda"


def copied(into: Path, *changes: tuple[str, str, str], task: Path = SAXPY, wrong: bool = False) -> Path:
    """A copy of a task with texts of files replaced: (file, old, new). Raises AssertionError where old is missing."""
    folder = into / task.name
    shutil.copytree(task, folder, ignore=None if wrong else shutil.ignore_patterns("wrong", "results"))
    for file, old, new in changes:
        text = (folder / file).read_text(encoding="utf-8")
        assert old in text, (file, old)
        (folder / file).write_text(text.replace(old, new), encoding="utf-8")
    return folder


def planned(folder: Path) -> Plan:
    """The plan of a folder of which nothing was built."""
    read = read_folder(folder)
    return plan_of(read, {arm.name: Made({}) for arm in read.arms}, {})


def unbuilt_pack(folder: Path, into: Path) -> tuple[Path, Plan]:
    """A pack with the task's Python files only, enough to draw inputs and references."""
    (into / "task").mkdir(parents=True)
    for file in folder.glob("*.py"):
        shutil.copy(file, into / "task")
    return into, planned(folder)
