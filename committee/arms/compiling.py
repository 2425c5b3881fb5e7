"""Whether patched kernels compile for the target's architectures, through the kernel bench's own gate.

Where its compiler is not installed, or the unpatched source does not compile either, it is said that nothing is known.
"""

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.confinement import CannotConfine
from harness.kernels.bench.reasons import Reason
from harness.kernels.compile_cuda import CudaJob, compile_cuda
from harness.kernels.confine import Way, best_way
from harness.kernels.diagnose import Diagnosis
from harness.kernels.folder import ArmSource, Folder
from harness.kernels.task import KernelArm, Task

NO_COMPILER = "not checked: no compiler installed"
SUFFIX = ".cu"
# The gate compiles arms of a task; of this one only flags and architectures are used, because nothing is run.
TASK: Mapping[str, Any] = {
    "schema": 1, "title": "a patch", "language": "cuda", "entry": "none", "baseline": "none",
    "argument": ({"name": "x", "role": "input", "dtype": "float32", "shape": (1,)},
                 {"name": "y", "role": "output", "dtype": "float32", "shape": (1,)}),
    "shape": ({"name": "one", "sizes": {"n": 1}},),
    "tolerance": {"norm": 0, "worst": 0, "reason": "nothing is run"},
    "cost": {"bytes": 1, "operations": 1},
}  # fmt: skip


@dataclass(frozen=True)
class Compiled:
    """What the compiler said of a patch."""

    failed: bool  # it refused what it takes without the patch
    words: str


def compiled(
    before: Mapping[str, bytes], after: Mapping[str, bytes], architectures: Sequence[str], flags: Sequence[str]
) -> Compiled:
    """The `.cu` files that a patch changes, all where it changes a header: `after` it, held against `before`."""
    changed = [path for path in after if after[path] != before.get(path)]
    whole = all(path.endswith(SUFFIX) for path in changed) and bool(changed)  # no header, which others may include
    sources = sorted(path for path in (changed if whole else after) if path.endswith(SUFFIX))
    if not sources or not architectures:
        missing = "no .cu file" if not sources else "the target's file names no architectures in [sources]"
        return Compiled(False, f"not checked: {missing}")
    way = best_way()
    if isinstance(way, CannotConfine):
        return Compiled(False, f"not checked, as no compiler can be shut in here: {way.sentence}")
    said: list[str] = []
    for architecture, source, found in _all(after, sources, (architectures, flags), way):
        if not isinstance(found, Diagnosis):
            said.append(f"{source} for {architecture}")
            continue
        if found.reason is Reason.COMPILER_MISSING:
            return Compiled(False, NO_COMPILER)
        control = next(iter(_all(before, [source], ([architecture], flags), way)))[2]
        if not isinstance(control, Diagnosis):
            return Compiled(True, f"{source} for {architecture}: {found.sentence}")
        said.append(f"not checked: {source} does not compile for {architecture} without the patch either")
    return Compiled(False, "; ".join(said))


_Found = tuple[str, str, Diagnosis | object]


def _all(
    files: Mapping[str, bytes], sources: Sequence[str], how: tuple[Sequence[str], Sequence[str]], way: Way
) -> list[_Found]:
    """Architecture, source, and how it went: a Diagnosis, or anything else where it compiled."""
    architectures, flags = how
    with tempfile.TemporaryDirectory(prefix="committee-compile-") as scratch:
        folder = Path(scratch) / "files"
        for path, content in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content)
        _readable(Path(scratch))
        task = Task.from_mapping({**TASK, "architectures": tuple(architectures), "flags": tuple(flags)}, "patch")
        jobs = []
        for number, (source, architecture) in enumerate((s, a) for s in sources for a in architectures):
            arm = ArmSource(f"patch-{number}", False, KernelArm(), source)
            output = Path(scratch) / "out" / str(number) / "patch.cubin"
            output.parent.mkdir(parents=True)
            jobs.append(CudaJob(arm, architecture, output, plain=True))
        found = compile_cuda(Folder(folder, task, (), files, ""), jobs, way)
        return [(job.architecture, job.arm.source, found[job]) for job in jobs]


def _readable(scratch: Path) -> None:
    """The compiler runs as nobody where it can, so it must be able to read the copy."""
    scratch.chmod(0o755)
