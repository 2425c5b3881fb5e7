"""Reading a task folder: task.toml, the two Python files, every arm and every known-wrong arm. Compiles nothing."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from pydantic import TypeAdapter, ValidationError

from harness.kernels.bench.reasons import Reason
from harness.kernels.task import KernelArm, Name, Task
from harness.vocabulary.base import BadFileError

TASK = "task.toml"
NEEDED = ("inputs.py", "reference.py")
ENDINGS = {"c": (".c",), "cuda": (".cu",)}
HEADERS = (".h", ".cuh", ".inc")
LEFT_OUT = frozenset({"results", "__pycache__", "evidence"})
MOST_NAMED = 20  # folders in one sentence
MOST_BYTES = 4_000_000  # of one file; sources are written by hand
OVERLAPS_FROM = 90  # the architecture that knows programmatic dependent launches
NAME = TypeAdapter(Name)


@dataclass(frozen=True)
class ArmSource:
    """One arm as it lies in the folder."""

    name: str
    wrong: bool
    arm: KernelArm
    source: str  # path inside the folder


@dataclass(frozen=True)
class Folder:
    """A task folder that was read whole."""

    path: Path
    task: Task
    arms: tuple[ArmSource, ...]  # by name, arms/ before wrong/
    files: Mapping[str, bytes]  # sources and headers by path inside the folder
    sha256: str

    @property
    def name(self) -> str:
        """The folder's own name."""
        return self.path.name


def read_folder(path: Path) -> Folder:
    """Read a task folder. Raises BadFileError with one sentence."""
    path = path.resolve()
    if not (path / TASK).exists():
        raise BadFileError(f"{str(path)!r} holds no {TASK}, so it is no task's folder; {_tasks_beside(path)}")
    task = Task.from_toml(path / TASK)
    for name in NEEDED:
        if not (path / name).is_file():
            raise BadFileError(f"{str(path / name)!r} does not exist; a task folder needs {' and '.join(NEEDED)}")
    files = _files(path)
    arms = (*_arms(path, task, "arms"), *_arms(path, task, "wrong"))
    if task.baseline not in [arm.name for arm in arms if not arm.wrong]:
        raise BadFileError(f"{str(path / TASK)!r}: baseline {task.baseline!r} is no arm; add arms/{task.baseline}")
    twice = {arm.name for arm in arms if [other.name for other in arms].count(arm.name) > 1}
    if twice:
        raise BadFileError(f"{str(path)!r}: two arms are called {min(twice)!r}; arms/ and wrong/ share their names")
    digest = hashlib.sha256()
    for inside, content in sorted(files.items()):
        digest.update(f"{inside}\0{len(content)}\0".encode() + content)
    sources = {inside: data for inside, data in files.items() if inside.endswith((*ENDINGS[task.language], *HEADERS))}
    return Folder(path, task, arms, MappingProxyType(sources), digest.hexdigest())


def _tasks_beside(path: Path) -> str:
    """What could have been meant: tasks inside the folder, or beside it."""
    for place in (path, path.parent):
        if place.is_dir() and (there := sorted(file.parent.name for file in place.glob(f"*/{TASK}"))):
            return f"in {str(place)!r} there are: {', '.join(there[:MOST_NAMED])}"
    return "`committee new NAME --kind kernel` makes one, and a clone of Committee has examples in kernels/"


def _files(path: Path) -> dict[str, bytes]:
    """Every file of the folder but results; links that lead out of it are refused."""
    found: dict[str, bytes] = {}
    for file in sorted(path.rglob("*")):
        inside = file.relative_to(path)
        if LEFT_OUT.intersection(inside.parts) or not file.is_file():
            continue
        if not file.resolve().is_relative_to(path):
            raise BadFileError(f"{str(file)!r} leads out of the task folder; put the file itself there")
        if file.stat().st_size > MOST_BYTES:
            raise BadFileError(f"{str(file)!r} is larger than {MOST_BYTES} bytes; a task folder holds sources only")
        found[inside.as_posix()] = file.read_bytes()
    return found


def _arms(path: Path, task: Task, where: str) -> list[ArmSource]:
    endings = ENDINGS[task.language]
    stems = {file.stem for ending in endings for file in (path / where).glob(f"*{ending}")}
    settings = {file.stem for file in (path / where).glob("*.toml")}
    shared: set[str] = set()
    arms = []
    for name in sorted(stems | settings):
        file = path / where / f"{name}.toml"
        arm = KernelArm.from_toml(file) if file.is_file() else KernelArm()
        source = arm.source or f"{name}{endings[0]}"
        if arm.source is not None:
            shared.add(source)
        arms.append(_checked(path, task, where, ArmSource(name, where == "wrong", arm, f"{where}/{source}")))
    return [arm for arm in arms if not (Path(arm.source).name in shared and arm.arm == KernelArm())] or arms


def _checked(path: Path, task: Task, where: str, arm: ArmSource) -> ArmSource:
    place = str(path / where / arm.name)
    try:
        NAME.validate_python(arm.name)
    except ValidationError:
        said = "is no name of an arm; take lower-case letters, digits and _"
        raise BadFileError(f"{place!r}: {arm.name!r} {said}") from None
    if "/" in (arm.arm.source or "") or not (path / arm.source).is_file():
        raise BadFileError(f"{place!r}: source {arm.source!r} does not exist; it lies beside the arm's file")
    if arm.wrong and arm.arm.reason not in [reason.value for reason in Reason]:
        known = ", ".join(reason.value for reason in Reason)
        raise BadFileError(f"{place + '.toml'!r}: reason {arm.arm.reason!r} is none of: {known}")
    if not arm.wrong and arm.arm.reason:
        raise BadFileError(f"{place + '.toml'!r}: only arms in wrong/ name a reason; remove it")
    names = {argument.name for argument in task.argument} | {own.name for own in arm.arm.scratch}
    for step in arm.arm.step:
        if unknown := [name for name in step.arguments if name not in names]:
            raise BadFileError(f"{place + '.toml'!r}: {unknown[0]!r} is no argument of the task and no scratch array")
    if task.language == "c" and any(step.library or step.side_stream or step.overlaps for step in arm.arm.step):
        raise BadFileError(f'{place + ".toml"!r}: library calls, streams and overlaps belong to language "cuda"')
    older = [one for one in arm.arm.architectures or task.architectures if int(one[3:].rstrip("a")) < OVERLAPS_FROM]
    if older and any(step.overlaps for step in arm.arm.step):
        said = f"overlaps needs sm_{OVERLAPS_FROM} or later, and the arm is built for {older[0]}"
        raise BadFileError(f"{place + '.toml'!r}: {said}; name its architectures, or remove overlaps")
    return arm
