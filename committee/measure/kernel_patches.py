"""Reviewers' patches of a kernel task: which a person said yes to, and the arm of the bench that each becomes.

A patch changes sources of arms and their headers only. What judges an arm (task.toml, inputs.py, reference.py, wrong/)
is never a patch's to change.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from committee.arms.admit import patched
from committee.measure.kernel_bench import Patched
from committee.measure.kernel_task import CARRIED, KernelTask
from harness.kernels.folder import ENDINGS, HEADERS, ArmSource
from harness.kernels.headers import C_HEADERS, reached_by
from harness.kernels.pack import Beside
from harness.vocabulary.base import BadFileError
from harness.vocabulary.target import Target
from ledger.entries import Hypothesis, KernelApproval, KernelPatch
from ledger.store import Ledger

ARMS = "arms/"
LONGEST = 40  # characters of an arm's name on the bench
MARK = 6  # hexadecimal digits that tell two changes of one name apart
OTHER_KEYS = ("flags", "env")  # of a written arm that also turns knobs of the server


@dataclass(frozen=True)
class BenchPatch:
    """A reviewer's patch that is for the bench alone."""

    name: str  # as the reviewer gave it, in the bench's spelling
    hypothesis: Hypothesis
    change: str


def bench_patches(told: Sequence[Hypothesis]) -> tuple[BenchPatch, ...]:
    """Those of a brief's hypotheses whose patch changes files in kernel/ only and is no arm of the server."""
    found: dict[str, BenchPatch] = {}
    for one in told:
        patch, written = one.patch, one.arm or {}
        if (
            patch is None
            or patch.change is None
            or patch.launched is not None
            or any(written.get(k) for k in OTHER_KEYS)
        ):
            continue
        if all(file.path.startswith(CARRIED) for file in patch.files):
            found.setdefault(patch.change, BenchPatch(bench_name(str(written.get("name", ""))), one, patch.change))
    return tuple(_apart(tuple(found.values())))


def bench_name(name: str) -> str:
    """A name in the form that arms of a task have: lower case, digits and _."""
    bare = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_") or "unnamed"
    return (bare if bare[0].isalpha() else f"p_{bare}")[:LONGEST].rstrip("_")


def _apart(patches: tuple[BenchPatch, ...]) -> Iterator[BenchPatch]:
    """Different changes under one name get a mark each."""
    names = [one.name for one in patches]
    for one in patches:
        marked = f"{one.name[: LONGEST - MARK - 1]}_{one.change[:MARK]}"
        yield replace(one, name=marked) if names.count(one.name) > 1 else one


def not_read(patches: Sequence[BenchPatch], known: Sequence[str], names: Sequence[str], proposal: str) -> str | None:
    """One sentence where a name is a patch that is not among the `known` arms: nobody said yes to it. Pure."""
    unread = {patch.name for patch in patches} - set(known)
    for name in names:
        if bench_name(name) in unread:
            return (
                f"arm {name!r} is a reviewer's patch of the kernel task that nobody said yes to; read it with "
                f"`committee approve {proposal} {name}`"
            )
    return None


def standing(ledger: Ledger, proposal: str, tree: str) -> Mapping[str, str]:
    """Change -> the person whose yes to it on the bench stands, for this very revision."""
    newest = {one.change: one for _, one in ledger.of(KernelApproval, proposal=proposal, tree=tree)}
    return {change: one.person for change, one in newest.items() if one.approved}


@dataclass(frozen=True)
class Around:
    """What a patch is applied to."""

    task: KernelTask
    files: Mapping[str, bytes]  # of the revision
    target: Target


def as_arms(patch: BenchPatch, person: str, around: Around, into: Path) -> tuple[Patched, ...]:
    """The arms that a patch makes, one for each arm of the task whose source it reaches, in a copy of the task.

    Raises BadFileError where it changes what is no source of an arm, or nothing that an arm is built from.
    """
    changed = _in_task(patch, patched(patch.hypothesis.arm or {}, around.target, around.files), around)
    folder = around.task.folder
    files = {**folder.files, **changed}
    copy = replace(folder, path=into, files=files, arms=())
    for path, content in {**_python(folder.path), **files}.items():
        (into / path).parent.mkdir(parents=True, exist_ok=True)
        (into / path).write_bytes(content)
    reached = [
        arm for arm in folder.arms if not arm.wrong and set(changed) & set(reached_by(files, arm.source, C_HEADERS))
    ]
    if not reached:
        raise BadFileError(f"patch {patch.name!r} changes {', '.join(changed)}, from which no arm of the task is built")
    taken = {arm.name for arm in folder.arms}
    made = []
    for arm in reached:
        name = _name(patch, arm, len(reached), taken)
        told = KernelPatch(
            arm_name=name,
            source_of=arm.name,
            hypothesis=patch.hypothesis.hypothesis,
            change=patch.change,
            person=person,
        )
        made.append(Patched(Beside(copy, replace(arm, name=name)), told))
    return tuple(made)


def _name(patch: BenchPatch, arm: ArmSource, arms: int, taken: set[str]) -> str:
    wanted = patch.name if arms == 1 else f"{patch.name}_{arm.name}"[:LONGEST]
    return f"{wanted[: LONGEST - MARK - 1]}_{patch.change[:MARK]}" if wanted in taken else wanted


def _python(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in (folder.glob("*.py"))}


def _in_task(patch: BenchPatch, changed: Mapping[str, bytes], around: Around) -> dict[str, bytes]:
    """The changed files by their path inside the task. Raises BadFileError for a file that judges."""
    folder = around.task.folder
    sources = (*ENDINGS[folder.task.language], *HEADERS)
    found: dict[str, bytes] = {}
    for path, content in changed.items():
        inside = path.removeprefix(CARRIED)
        if not around.task.carried:  # the task's file that is, byte for byte, what the proposal carries
            before = around.files[path]
            same = [name for name, known in folder.files.items() if known == before and not name.startswith("wrong/")]
            if not same:
                raise BadFileError(f"patch {patch.name!r} changes {path!r}, which is no file of {around.task.shown!r}")
            inside = same[0]
        if inside.startswith("wrong/") or not inside.endswith(sources):
            raise BadFileError(
                f"patch {patch.name!r} changes {path!r}, which judges arms; a patch may change sources of arms only"
            )
        found[inside] = content
    return found
