"""Arms in CUDA without a card: NVRTC of CUDA 12.9 through cuda-core in a few processes that are shut in."""

import json
import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from harness.kernels.bench.reasons import Reason
from harness.kernels.compilers import MISSING, Answer, compiled
from harness.kernels.confine import Shut, Way, interpreter, shut_in
from harness.kernels.cubin import kernels_of
from harness.kernels.cubin_cache import CubinCache, Kept, key_of
from harness.kernels.diagnose import Diagnosis, diagnose
from harness.kernels.folder import ArmSource, Folder
from harness.kernels.headers import SYSTEM_HEADERS, reached_by
from harness.kernels.resources import Resources, resources_of

HERE = Path(__file__).resolve().parent
PREAMBLE = re.compile(r"^.*(compilation log:|warning: Architectures prior to).*$", re.MULTILINE)
POINTER_BYTES = 8
BYTES = {"int8": 1, "uint8": 1, "int16": 2, "uint16": 2, "float16": 2, "int32": 4, "uint32": 4, "float32": 4}


@dataclass(frozen=True)
class Cubin:
    """One arm, compiled for one architecture."""

    path: Path
    words: str
    resources: dict[str, Resources]  # by kernel


@dataclass(frozen=True)
class CudaJob:
    """One arm for one architecture."""

    arm: ArmSource
    architecture: str
    output: Path
    plain: bool = False  # a source of the bench itself, which has no entry to be checked


def jobs_of(folder: Folder, arm: ArmSource, into: Path, *, every: bool = True) -> tuple[CudaJob, ...]:
    """One job for every architecture of an arm; of a known-wrong one for its first alone unless `every`."""
    wanted = arm.arm.architectures or folder.task.architectures
    wanted = wanted if every or not arm.wrong else wanted[:1]
    return tuple(CudaJob(arm, architecture, into / f"{architecture}.cubin") for architecture in wanted)


def compile_cuda(
    folder: Folder, jobs: Sequence[CudaJob], way: Way, cache: CubinCache | None = None
) -> dict[CudaJob, Cubin | Diagnosis]:
    """Compile what is not in the cache; each job's folder exists. A missing compiler is a Diagnosis too."""
    asked: dict[CudaJob, dict[str, Any] | Diagnosis] = {job: _asked(folder, job) for job in jobs}
    found: dict[CudaJob, Cubin | Diagnosis] = {job: ask for job, ask in asked.items() if isinstance(ask, Diagnosis)}
    alike: dict[str, list[CudaJob]] = {}  # arms that share source and flags differ in their launches only
    for job, ask in asked.items():
        if not isinstance(ask, Diagnosis):
            alike.setdefault(json.dumps({**ask, "output": ""}), []).append(job)
    ready: list[tuple[list[CudaJob], str]] = []
    for group in alike.values():
        key = key_of_job(folder, group[0]) if cache is not None else ""
        kept = cache.get(key) if cache is not None else None
        if kept is None:
            ready.append((group, key))
            continue
        group[0].output.write_bytes(kept.cubin)
        found |= _for_each(folder, group, {"ok": kept.ok, "words": kept.words})
    results = _compiled(folder, [group for group, _ in ready], asked, way) if ready else []
    for (group, key), result in zip(ready, results, strict=True):
        found |= _for_each(folder, group, result)
        if cache is not None and not isinstance(result, Diagnosis):
            cache.put(key, _kept(folder, group[0], result))
    return found


def key_of_job(folder: Folder, job: CudaJob) -> str:
    """Of everything that a compilation depends on; where the folder lies is no part of it. "" for a refused flag."""
    asked = _asked(folder, job)
    if isinstance(asked, Diagnosis):
        return ""
    plain = {name: value for name, value in asked.items() if name not in ("source", "output", "include")}
    files = {job.arm.source: (folder.path / job.arm.source).read_bytes(), **folder.files}
    reached = [(name, files[name]) for name in reached_by(files, job.arm.source, SYSTEM_HEADERS)]
    ours = [HERE / "nvrtc_child.py", *sorted((HERE / "cuda_headers").iterdir())]
    return key_of(plain, reached, ours)


def _kept(folder: Folder, job: CudaJob, result: dict[str, Any]) -> Kept:
    words = str(result["words"]).replace(f"{folder.path}/", "")
    return Kept(bool(result["ok"]), words, job.output.read_bytes() if result["ok"] else b"")


def _for_each(
    folder: Folder, jobs: Sequence[CudaJob], result: dict[str, Any] | Diagnosis
) -> dict[CudaJob, Cubin | Diagnosis]:
    """What one compilation means for each job that asked for it; all but the first get a copy."""
    if isinstance(result, Diagnosis):
        return dict.fromkeys(jobs, result)
    for job in jobs[1:] if result["ok"] else ():
        shutil.copyfile(jobs[0].output, job.output)
    return {job: _judged(folder, job, result) for job in jobs}


def _asked(folder: Folder, job: CudaJob) -> dict[str, Any] | Diagnosis:
    """A job as the child reads it."""
    asked: dict[str, Any] = {"define": [], "fast_math": False, "most_registers": None, "std": "c++17"}
    for flag in (*folder.task.flags, *job.arm.arm.flags):
        if match := re.fullmatch(r"-D(\w+)(?:=([\w.+-]*))?", flag):
            asked["define"].append([match.group(1), match.group(2) or "1"])
        elif flag in ("-use_fast_math", "--use_fast_math"):
            asked["fast_math"] = True
        elif match := re.fullmatch(r"--?maxrregcount=(\d+)", flag):
            asked["most_registers"] = int(match.group(1))
        elif match := re.fullmatch(r"--?std=(c\+\+\d\d)", flag):
            asked["std"] = match.group(1)
        else:
            said = f"flag {flag!r} is not allowed; -D, -use_fast_math, -maxrregcount= and -std= are"
            return Diagnosis(Reason.COMPILE_ERROR, said)
    include = [str(folder.path), str((folder.path / job.arm.source).parent), *map(str, header_folders())]
    where = {"source": str(folder.path / job.arm.source), "output": str(job.output), "include": include}
    return {**asked, **where, "name": job.arm.source, "architecture": job.architecture}


def header_folders() -> tuple[Path, ...]:
    """Our own few headers, then the toolkit's where its wheel is installed."""
    spec = find_spec("nvidia")
    places = [Path(place) for place in spec.submodule_search_locations or ()] if spec else []
    toolkit = [place / "cuda_runtime" / "include" for place in places]
    return (HERE / "cuda_headers", *(place for place in toolkit if place.is_dir()))


def _compiled(folder: Folder, groups: Sequence[list[CudaJob]], asked: Mapping[CudaJob, Any], way: Way) -> list[Answer]:
    """Each group's first job by the compiler's processes; long sources first, known-wrong arms last."""
    order = sorted(range(len(groups)), key=lambda index: _weight(folder, groups[index][0]), reverse=True)
    writable = tuple(dict.fromkeys(group[0].output.parent for group in groups))
    seen = Shut((folder.path, HERE, *interpreter(), *header_folders()), writable)
    argv = shut_in(way, (sys.executable, str(HERE / "nvrtc_child.py")), seen)
    answers = compiled(argv, [asked[groups[index][0]] for index in order])
    return [answers[order.index(index)] for index in range(len(groups))]


def _weight(folder: Folder, job: CudaJob) -> tuple[bool, int]:
    """How long a job may take, against others."""
    source = folder.files.get(job.arm.source, b"")
    return not job.arm.wrong, len(source)


def _judged(folder: Folder, job: CudaJob, result: dict[str, Any]) -> Cubin | Diagnosis:
    words = PREAMBLE.sub("", str(result["words"]).replace(f"{folder.path}/", "")).strip()
    if not result["ok"]:
        return Diagnosis(Reason.COMPILER_MISSING, MISSING) if "No module named" in words else diagnose(words)
    fault = None if job.plain else signature_fault(folder, job)
    return fault or Cubin(job.output, words, dict(resources_of(words)))


def signature_fault(folder: Folder, job: CudaJob) -> Diagnosis | None:
    """Whether the cubin's kernels take what they will be called with: as many parameters, each as large."""
    kernels = {kernel.name: kernel.parameter_bytes for kernel in kernels_of(job.output.read_bytes())}
    sizes = {
        one.name: BYTES.get(one.dtype, 8) if one.role == "scalar" else POINTER_BYTES for one in folder.task.argument
    }
    usual = (job.arm.arm.entry or folder.task.entry, tuple(argument.name for argument in folder.task.argument))
    steps = [(step.entry, step.arguments) for step in job.arm.arm.step if step.entry]
    for entry, names in steps if job.arm.arm.step else [usual]:
        if entry not in kernels:
            there = ", ".join(sorted(kernels)) or "none"
            return Diagnosis(Reason.ENTRY_MISSING, f'no kernel {entry!r} (there are: {there}); is it extern "C"?')
        called, taken = tuple(sizes.get(name, POINTER_BYTES) for name in names), kernels[entry]
        if called != taken:
            said = f"{entry!r} takes {len(taken)} arguments of {list(taken)} bytes"
            return Diagnosis(Reason.SIGNATURE_CHANGED, f"{said}, but is called with {len(called)} of {list(called)}")
    return None
