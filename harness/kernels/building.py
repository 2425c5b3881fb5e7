"""Building every arm of a folder, and what is known of each afterwards: resources, occupancy, the 48 KiB rule."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import harness
from harness.kernels.bench.reasons import Reason
from harness.kernels.compile_c import Object, compile_c, compile_plain
from harness.kernels.compile_cuda import Cubin, CudaJob, compile_cuda, jobs_of
from harness.kernels.confine import Way
from harness.kernels.cubin_cache import CubinCache
from harness.kernels.diagnose import Diagnosis
from harness.kernels.folder import ArmSource, Folder
from harness.kernels.headers import C_HEADERS, SYSTEM_HEADERS, unresolved
from harness.kernels.occupancy import SHARED_WITHOUT_ASKING, Occupancy, occupancy
from harness.kernels.planned import launches_of
from harness.kernels.resources import Resources
from harness.kernels.task import KernelArm
from harness.vocabulary.base import BadFileError

OBJECTS = "objects"
CEILINGS = "ceilings"  # no arm may be called so
AT_ONCE = 4  # compilers
PROCESSOR = "c"
AT_BUILD = frozenset(  # reasons that a compiler or the folder gives, so that no card is needed for them
    {
        *(Reason.HEADER_MISSING, Reason.SIGNATURE_CHANGED, Reason.INTRINSIC_MISSING, Reason.ENTRY_MISSING),
        *(Reason.SHARED_OVER_48_KIB, Reason.COMPILE_ERROR, Reason.COMPILER_MISSING),
    }
)


@dataclass(frozen=True)
class KernelFacts:
    """One kernel of an arm on one architecture."""

    kernel: str
    resources: Resources
    dynamic_shared_bytes: int  # the most that any shape asks for
    threads: int  # of a block, the most that any shape starts
    occupancy: Occupancy | None


@dataclass(frozen=True)
class BuiltFor:
    """One arm for one architecture."""

    architecture: str
    file: str  # inside the pack; "" when it could not be built
    refused: Diagnosis | None = None
    kernels: tuple[KernelFacts, ...] = ()
    words: str = ""  # what the compiler said


@dataclass(frozen=True)
class BuiltArm:
    """One arm, as far as it could be built."""

    arm: ArmSource
    built: tuple[BuiltFor, ...] = field(default=())

    @property
    def objects(self) -> dict[str, str]:
        """Files by architecture."""
        return {one.architecture: one.file for one in self.built if one.refused is None}

    @property
    def refused(self) -> Diagnosis | None:
        """The first reason why an architecture has no object."""
        return next((one.refused for one in self.built if one.refused is not None), None)


def build(
    folder: Folder, into: Path, way: Way, cache: CubinCache | None = None, *, every: bool = True
) -> tuple[BuiltArm, ...]:
    """Build everything into `into/objects`, made where it is not there. What cannot be built carries its reason.

    Known-wrong arms are built for each of their architectures only if `every` is said.
    """
    for name in (CEILINGS, *(arm.name for arm in folder.arms)):
        (into / OBJECTS / name).mkdir(parents=True, exist_ok=True)
    faults = {arm.name: header_fault(folder, arm) for arm in folder.arms}
    sound = [arm for arm in folder.arms if faults[arm.name] is None]
    in_cuda = folder.task.language == "cuda"
    made = _in_cuda(folder, sound, (into, way, cache), every) if in_cuda else _in_c(folder, sound, into, way)
    for arm in folder.arms:
        if (fault := faults[arm.name]) is not None:
            wanted = arm.arm.architectures or folder.task.architectures or (PROCESSOR,)
            made[arm.name] = BuiltArm(arm, tuple(BuiltFor(one, "", fault) for one in wanted))
    return tuple(made[arm.name] for arm in folder.arms)


def header_fault(folder: Folder, arm: ArmSource) -> Diagnosis | None:
    """Whether every header of an arm lies in the folder; told before a compiler is started."""
    system = C_HEADERS if folder.task.language == "c" else SYSTEM_HEADERS
    missing = unresolved(folder.files, arm.source, system)
    if not missing:
        return None
    return Diagnosis(Reason.HEADER_MISSING, f"{missing[0].path}:{missing[0].line}: {missing[0].sentence}")


def build_ceilings(folder: Folder, into: Path, way: Way, cache: CubinCache | None = None) -> dict[str, str]:
    """The objects that measure what the machine can do, by architecture. Raises BadFileError."""
    bench, inside = Path(harness.__file__).parent / "kernels" / "bench", f"{OBJECTS}/{CEILINGS}"
    if folder.task.language == "c":
        fault = compile_plain(bench / "ceilings.c", into / inside / "ceilings.so", way)
        objects: Mapping[str, Diagnosis | None] = {PROCESSOR: fault}
        files = {PROCESSOR: f"{inside}/ceilings.so"}
    else:
        whole = Folder(bench, folder.task, (), {}, "")
        source = ArmSource(CEILINGS, False, KernelArm(flags=()), "ceilings.cu")
        wanted = {one for arm in folder.arms for one in arm.arm.architectures} | set(folder.task.architectures)
        jobs = [CudaJob(source, one, into / inside / f"{one}.cubin", plain=True) for one in sorted(wanted)]
        found = compile_cuda(whole, jobs, way, cache)
        objects = {job.architecture: one if isinstance(one, Diagnosis) else None for job, one in found.items()}
        files = {job.architecture: f"{inside}/{job.output.name}" for job in jobs}
    for fault in objects.values():
        if fault is not None:
            raise BadFileError(f"what measures the machine's ceilings cannot be built: {fault.sentence}")
    return files


def _in_c(folder: Folder, arms: Sequence[ArmSource], into: Path, way: Way) -> dict[str, BuiltArm]:
    def one(arm: ArmSource) -> BuiltArm:
        file = f"{OBJECTS}/{arm.name}/arm.so"
        found = compile_c(folder, arm, into / file, way)
        if isinstance(found, Object):
            return BuiltArm(arm, (BuiltFor(PROCESSOR, file, None, (), found.words),))
        return BuiltArm(arm, (BuiltFor(PROCESSOR, "", found),))

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return {built.arm.name: built for built in pool.map(one, arms)}


def _in_cuda(
    folder: Folder, arms: Sequence[ArmSource], place: tuple[Path, Way, CubinCache | None], every: bool
) -> dict[str, BuiltArm]:
    into, way, cache = place
    jobs = {arm.name: jobs_of(folder, arm, into / OBJECTS / arm.name, every=every) for arm in arms}
    found = compile_cuda(folder, [job for listed in jobs.values() for job in listed], way, cache)
    return {arm.name: BuiltArm(arm, tuple(_of(folder, job, found[job]) for job in jobs[arm.name])) for arm in arms}


def _of(folder: Folder, job: CudaJob, found: Cubin | Diagnosis) -> BuiltFor:
    if isinstance(found, Diagnosis):
        return BuiltFor(job.architecture, "", found)
    facts = tuple(_facts(folder, job, found))
    file = f"{OBJECTS}/{job.arm.name}/{job.output.name}"
    return BuiltFor(job.architecture, file, too_much(job.arm, facts), facts, found.words)


def _facts(folder: Folder, job: CudaJob, cubin: Cubin) -> list[KernelFacts]:
    facts = []
    for kernel, started in launches_of(folder, job.arm).items():
        if kernel not in cubin.resources:
            continue
        needs = cubin.resources[kernel]
        dynamic = max((one.shared for one in started), default=0)
        threads = max((one.block[0] * one.block[1] * one.block[2] for one in started), default=0)
        fits = occupancy(job.architecture, threads, needs.registers, needs.shared_bytes + dynamic)
        facts.append(KernelFacts(kernel, needs, dynamic, threads, fits))
    return facts


def unexpected(built: BuiltArm) -> bool:
    """An arm that was not built, or a known-wrong one that the compiler had to refuse and did not."""
    reason = built.refused.reason.value if built.refused else ""
    at_build = built.arm.arm.reason in AT_BUILD
    return reason != (built.arm.arm.reason if at_build else "")


def too_much(arm: ArmSource, facts: Sequence[KernelFacts]) -> Diagnosis | None:
    """The 48 KiB rule: what a block gets on every card without asking."""
    for one in facts:
        shared = one.resources.shared_bytes + one.dynamic_shared_bytes
        if shared > SHARED_WITHOUT_ASKING and not arm.arm.large_shared:
            said = f"{one.kernel!r} asks for {shared} bytes of shared memory a block, more than {SHARED_WITHOUT_ASKING}"
            return Diagnosis(Reason.SHARED_OVER_48_KIB, f"{said}; use less, or say large_shared = true")
    return None
