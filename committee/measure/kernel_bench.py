"""A kernel proposal on the bench: the known-wrong arms first, then its arms proved and timed; all of it on record.

No server is touched, and nothing is accepted by what comes out: a faster kernel is not yet a faster server (M12).
"""

import json
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from committee.measure.kernel_elsewhere import plan_here, read_reports
from committee.measure.kernel_task import KernelTask
from harness.kernels.bench.plan import Plan
from harness.kernels.bench.results import Report
from harness.kernels.building import AT_BUILD, BuiltArm
from harness.kernels.cards import cards, how_elsewhere
from harness.kernels.compare import compare
from harness.kernels.cubin_cache import CubinCache
from harness.kernels.pack import Beside, Packed, pack
from harness.kernels.run import Asked, run_pack
from harness.kernels.verdicts import MEDIA_TYPE, verdicts_of
from ledger.entries import KernelPatch, KernelRun, KernelVerdict, WrongArm
from ledger.store import Ledger

CUDA = "cuda"
BROUGHT = "; run on another machine, its reports were brought here"


@dataclass(frozen=True)
class Patched:
    """A reviewer's patch that may be built, and what is recorded of it."""

    beside: Beside
    told: KernelPatch


@dataclass(frozen=True)
class BenchOrder:
    """What one run of the bench is to do for a proposal."""

    run: str
    proposal: str
    tree: str
    review_run: str | None
    task: KernelTask
    arms: tuple[str, ...]  # asked for by name, none: all
    patched: tuple[Patched, ...]


@dataclass(frozen=True)
class Benched:
    """A run as it was recorded."""

    run: KernelRun
    verdicts: tuple[KernelVerdict, ...]


def names_of(order: BenchOrder) -> tuple[str, ...]:
    """The arms that are tried, the baseline first."""
    baseline = order.task.folder.task.baseline
    known = [arm.name for arm in order.task.folder.arms if not arm.wrong]
    known += [one.told.arm_name for one in order.patched]
    return (baseline, *(name for name in known if name != baseline and (not order.arms or name in order.arms)))


def bench(ledger: Ledger, order: BenchOrder, cache: CubinCache | None, tell: Callable[[str], None]) -> Benched:
    """Build, try the known-wrong arms, prove, time, record. Raises BadFileError where nothing can be shut in here."""
    with tempfile.TemporaryDirectory(prefix="committee-pack-") as scratch:
        Path(scratch).chmod(0o755)
        packed = pack(
            order.task.folder, Path(scratch) / "pack", cache=cache, beside=[one.beside for one in order.patched]
        )
        if order.task.folder.task.language == CUDA and not cards():
            return _record(ledger, order, _Made(packed.plan, packed.built), _compiled_only(order, packed))
        return _record(ledger, order, _Made(packed.plan, packed.built), _tried(order, packed, tell))


def take_in(ledger: Ledger, order: BenchOrder, files: Sequence[Path]) -> Benched:
    """Reports of a pack that was run elsewhere, judged and recorded as if it had been run here. Raises BadFileError."""
    found = read_reports(files, order.task.folder)
    results = found.wrong.arms if found.wrong else []
    wrong = tuple(
        WrongArm(arm_name=one.arm, expected=one.expected, found=one.reason) for one in results if one.expected
    )
    passed, fault = not_caught(wrong), found.timed.fault or (found.wrong.fault if found.wrong else "")
    outcome = "input_wrong" if fault else "void" if passed else "measured"
    end = _End(outcome, fault or passed, wrong, None if passed and not fault else found.timed, _device(found.timed))
    return _record(ledger, order, _Made(plan_here(order.task.folder), (), BROUGHT), end)


@dataclass(frozen=True)
class _Made:
    """What was built, and how the run came here."""

    plan: Plan
    built: tuple[BuiltArm, ...]
    note: str = ""


@dataclass(frozen=True)
class _End:
    """How far a run came."""

    outcome: str
    detail: str
    wrong: tuple[WrongArm, ...]
    report: Report | None  # of the arms, none where they were not reached
    device: str = ""


def _compiled_only(order: BenchOrder, packed: Packed) -> _End:
    """Without a card: what the compiler says is all there is; known-wrong arms that it must refuse are held to it."""
    wrong = tuple(
        WrongArm(arm_name=one.arm.name, expected=one.arm.arm.reason, found=_reason(one))
        for one in packed.built
        if one.arm.wrong and one.arm.arm.reason in AT_BUILD
    )
    if passed := not_caught(wrong):
        return _End("void", passed, wrong, None)
    return _End(
        "compiled", f"{compiled_words(packed.built)}; not measured: {how_elsewhere(order.task.shown)}", wrong, None
    )


def compiled_words(built: tuple[BuiltArm, ...]) -> str:
    """One clause about what the arms compiled to, for each architecture the span of registers, and what did not."""
    arms = [one for one in built if not one.arm.wrong]
    said: list[str] = []
    for architecture in sorted({part.architecture for one in arms for part in one.built if part.refused is None}):
        kernels = [k for one in arms for part in one.built if part.architecture == architecture for k in part.kernels]
        registers = [kernel.resources.registers for kernel in kernels]
        spilt = sum(kernel.resources.spill_store_bytes > 0 for kernel in kernels)
        span = f"{min(registers)} to {max(registers)} registers" if registers else "no kernel"
        said.append(f"{architecture} ({span}, {spilt} spilling)" if spilt else f"{architecture} ({span})")
    refused = [f"{one.arm.name}: {one.refused.sentence}" for one in arms if one.refused is not None]
    clause = f"compiled for {', '.join(said) or 'nothing'}"
    return f"{clause}; {len(refused)} of {len(arms)} arms did not compile ({'; '.join(refused)})" if refused else clause


def _tried(order: BenchOrder, packed: Packed, tell: Callable[[str], None]) -> _End:
    """Planted controls first: where one passes, the bench judges nothing, and no arm is timed."""
    wrong: tuple[WrongArm, ...] = ()
    if any(arm.expected for arm in packed.plan.arms):
        tell(f"trying {sum(bool(arm.expected) for arm in packed.plan.arms)} known-wrong arms")
        found = run_pack(packed, Asked(wrong=True))
        results = [one for one in found.arms if one.expected]
        wrong = tuple(WrongArm(arm_name=one.arm, expected=one.expected, found=one.reason) for one in results)
        if found.fault:
            return _End("input_wrong", found.fault, wrong, found, _device(found))
        if passed := not_caught(wrong):
            return _End("void", passed, wrong, None, _device(found))
    names = names_of(order)
    tell(f"proving and timing {', '.join(names)}")
    report = run_pack(packed, Asked(names, time=True))
    if report.fault:
        return _End("input_wrong", report.fault, wrong, report, _device(report))
    return _End("measured", "", wrong, report, _device(report))


def not_caught(wrong: tuple[WrongArm, ...]) -> str:
    """Which known-wrong arms were not caught with their own reason; empty if all were. Pure."""
    free = [
        f"{one.arm_name} ({one.found or 'right'} instead of {one.expected})"
        for one in wrong
        if one.found != one.expected
    ]
    return (
        f"{len(free)} known-wrong arms were not caught, so this bench judges nothing: {', '.join(free)}" if free else ""
    )


def _reason(built: BuiltArm) -> str:
    return built.refused.reason.value if built.refused else ""


def _device(report: Report) -> str:
    return report.device.get("name") or report.facts_before.get("processor") or ""


def _record(ledger: Ledger, order: BenchOrder, made: _Made, end: _End) -> Benched:
    """The run and its verdicts, all or none."""
    verdicts: tuple[KernelVerdict, ...] = ()
    outcome, detail = end.outcome, end.detail
    if end.report is not None:
        kept = ledger.put_blob(end.report.to_json().encode(), MEDIA_TYPE)
        rows = () if end.report.fault else compare(end.report, made.plan)
        verdicts = verdicts_of(order.run, end.report, rows, made.plan, kept)
        timed = sorted({row.arm for row in rows if row.arm != made.plan.baseline})
        if outcome == "measured":
            outcome = "measured" if timed else "incomplete"
            detail = f"timed beside {made.plan.baseline!r}: {', '.join(timed) or 'none'}{made.note}"
    compiled = json.dumps([asdict(one) for one in made.built], default=str).encode()
    run = KernelRun.model_validate(
        {
            "run": order.run,
            "proposal": order.proposal,
            "tree": order.tree,
            "review_run": order.review_run,
            "task": order.task.folder.name,
            "task_sha256": order.task.folder.sha256,
            "carried": order.task.carried,
            "device": end.device,
            "outcome": outcome,
            "detail": detail,
            "arms": names_of(order),
            "patches": tuple(one.told for one in order.patched if one.told.arm_name in names_of(order)),
            "wrong": end.wrong,
            "compiled": ledger.put_blob(compiled, MEDIA_TYPE),
        }
    )
    ledger.append_all((run, *verdicts))
    return Benched(run, verdicts)
