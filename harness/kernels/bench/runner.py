"""The runner: proves the arms of a pack right, times those that are, and writes one report. Judges; runs no kernel.

`python runner.py PACK OUT.json [--arm NAME]... [--wrong] [--time] [--seed N] [--lock FILE]`; OUT may be `fd:N`.
"""

import argparse
import ctypes
import fcntl
import os
import random
import secrets
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from harness.kernels.bench import c_ceilings, controls, cuda_ceilings, facts, timing
from harness.kernels.bench.ceilings import Ceilings
from harness.kernels.bench.closeness import Closeness
from harness.kernels.bench.drawing import FIRST, SECOND, Drawn, Source, TaskWrong
from harness.kernels.bench.plan import Plan, PlannedArm, Sizes, read_plan
from harness.kernels.bench.proving import Proof, Sets, prove
from harness.kernels.bench.reasons import Reason
from harness.kernels.bench.results import SCHEMA, TRYING, ArmResult, Near, Number, Report, SlotResult

PR_SET_DUMPABLE = 4  # prctl(2)
LOCK = "committee-kernel-device.lock"
MOST_AT_ONCE = 16  # processes on a card; each holds its buffers twice
DOUBTFUL = (Reason.WRONG_VALUES, Reason.NOT_FINITE)  # of the baseline: arm or reference is wrong, nobody knows which


@dataclass
class Run:
    """What a run gathers. The only mutable thing of the runner, and it has one owner."""

    pack: Path
    plan: Plan
    source: Source
    ceilings: Ceilings
    times: bool  # whether right arms are timed in blocks
    sets: dict[str, Sets] = field(default_factory=dict)  # by test shape
    timed: dict[str, list[Drawn]] = field(default_factory=dict)  # by timed shape
    results: dict[str, ArmResult] = field(default_factory=dict)
    slots: list[SlotResult] = field(default_factory=list)
    device: dict[str, str] = field(default_factory=dict)
    phases: dict[str, float] = field(default_factory=dict)  # seconds by what was done; some lie inside others


def main(argv: Sequence[str] | None = None) -> int:
    """Run and write the report."""
    asked = _arguments().parse_args(argv)
    seed = asked.seed if asked.seed is not None else secrets.randbelow(1 << 31)
    _close_to_others()
    lock = Path(asked.lock) if asked.lock else Path(tempfile.gettempdir()) / LOCK
    with lock.open("a", encoding="ascii") as held:
        fcntl.flock(held, fcntl.LOCK_EX)  # one device, one measurement at a time
        text = _run(asked, seed).to_json()
    if asked.out.startswith("fd:"):
        with os.fdopen(int(asked.out[3:]), "w", encoding="utf-8") as out:
            out.write(text)
    else:
        Path(asked.out).write_text(text, encoding="utf-8")
    return 0


def _close_to_others() -> None:
    """Take memory and descriptors out of reach of workers, which have the same user: no report but ours is written."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="runner.py", description="Prove and time the kernels of a pack.")
    parser.add_argument("pack", type=Path, help="folder that `harness kernel pack` made")
    parser.add_argument("out", help="file for the report, or fd:N")
    parser.add_argument("--arm", action="append", default=[], help="only these arms (the baseline comes along)")
    parser.add_argument("--skip", action="append", default=[], help="not these arms")
    parser.add_argument("--wrong", action="store_true", help="the known-wrong arms instead of the others")
    parser.add_argument("--time", action="store_true", help="time what is right, in blocks")
    parser.add_argument("--seed", type=int, help="for inputs and order; a new one each time if none")
    parser.add_argument("--lock", help="file that keeps a second run from the device")
    return parser


def _ceilings(pack: Path, plan: Plan) -> Ceilings:
    """What this machine can do at most, of the plan's device."""
    return c_ceilings.of_processor(pack, plan) if plan.language == "c" else cuda_ceilings.of_card(pack)


def _run(asked: argparse.Namespace, seed: int) -> Report:
    began, before = time.monotonic(), {}
    plan = read_plan(asked.pack)
    before = facts.machine_facts(plan.language)
    fault, run = "", None
    try:
        run = Run(asked.pack, plan, Source(asked.pack, plan, seed), _ceilings(asked.pack, plan), asked.time)
        with _phase(run, "trying the task"):
            fault = _prepare(run) or ""
        if not fault:
            fault = _prove_all(run, _chosen(plan, asked)) or ""
        if asked.time and not fault:
            _time_all(run, random.Random(seed))  # noqa: S311 - shuffles, keeps no secret
    except TaskWrong as wrong:
        fault = str(wrong)
    after = facts.machine_facts(plan.language)
    return Report(
        schema=SCHEMA,
        task=plan.task,
        sha256=plan.sha256,
        language=plan.language,
        seed=seed,
        fault=fault,
        facts_before=before,
        facts_after=after,
        device=run.device if run else {},
        ceilings=run.ceilings.named() if run else {},
        arms=list(run.results.values()) if run else [],
        slots=run.slots if run else [],
        seconds=round(time.monotonic() - began, 3),
        phases=run.phases if run else {},
    )


def _chosen(plan: Plan, asked: argparse.Namespace) -> list[PlannedArm]:
    """The baseline first: if it is not right either, the task is (lesson A3)."""
    listed = [arm for arm in plan.arms if bool(arm.expected) == asked.wrong and arm.name not in asked.skip]
    listed = [arm for arm in listed if not asked.arm or arm.name in asked.arm]
    baseline = plan.arm(plan.baseline)
    return [baseline, *(arm for arm in listed if arm.name != plan.baseline)]


def _prepare(run: Run) -> str | None:
    """Draw what the proofs use and try the task itself. One sentence for INPUT_WRONG."""
    for shape in run.plan.shapes:
        if not shape.test:
            continue
        first, second = run.source.draw(shape, FIRST), run.source.draw(shape, SECOND)
        if fault := controls.task_fault(run.plan, shape, run.source, first, second):
            return fault
        run.sets[shape.name] = Sets(first, second, run.source.altered(shape, first.inputs))
    return None


def _prove_all(run: Run, arms: Sequence[PlannedArm]) -> str | None:
    """Right or not, then a first look at times. Proofs on a card run side by side, looks at times never do."""
    baseline = arms[0]
    if _at_once(run.plan) > 1:
        with _phase(run, "proofs"), ThreadPoolExecutor(_at_once(run.plan) + 1) as pool:
            ahead = pool.submit(_draw_timed, run, _ahead(run, arms))  # beside the proofs: their processes mostly start
            found = list(pool.map(lambda arm: _proofs(run, arm), arms))
            ahead.result()
        fault = _baseline_fault(baseline, found[0])
        wanted = [(arm, proofs) for arm, proofs in zip(arms, found, strict=True) if not fault or arm is baseline]
        _judge(run, wanted)
        return fault
    for arm in arms:
        with _phase(run, "proofs"):
            proofs = _proofs(run, arm)
        _judge(run, [(arm, proofs)])
        if arm is baseline and (fault := _baseline_fault(baseline, proofs)):
            return fault
    return None


def _at_once(plan: Plan) -> int:
    """Processes side by side: what an arm in C does while it is only loaded cannot be known, a cubin does nothing."""
    return 1 if plan.language == "c" else max(1, min(MOST_AT_ONCE, os.cpu_count() or 1))


def _baseline_fault(baseline: PlannedArm, proofs: Mapping[str, Proof]) -> str | None:
    for proof in proofs.values():
        if proof.reason in DOUBTFUL:
            return f"baseline {baseline.name!r} and reference do not agree, so one of them is wrong: {proof.detail}"
    return None


def _say(arm: PlannedArm) -> None:
    """Whoever ends this process is known by the last of these lines."""
    sys.stderr.write(f"{TRYING}{arm.name}\n")
    sys.stderr.flush()


def _proofs(run: Run, arm: PlannedArm) -> dict[str, Proof]:
    """By shape."""
    sets = {name: sets for name, sets in run.sets.items() if name in arm.calls}
    if arm.refused or not sets:
        return {}
    _say(arm)
    return prove(run.pack, run.plan, arm, sets)


def _judge(run: Run, proved: Sequence[tuple[PlannedArm, dict[str, Proof]]]) -> None:
    """Results of arms: as they were proved, and for the right ones a first look at their times."""
    fit = [arm for arm, proofs in proved if not arm.refused and all(one.reason is None for one in proofs.values())]
    with _phase(run, "first looks"):
        jobs = [_job(run, arm, _quick(run, arm), novel=True) for arm in fit]
        slots = {arm.name: slot for arm, slot in zip(fit, _timed(run, jobs), strict=True)}
    for arm, proofs in proved:
        run.results[arm.name] = _judged(run, arm, proofs, slots.get(arm.name))


def _judged(run: Run, arm: PlannedArm, proofs: Mapping[str, Proof], slot: timing.Slot | None) -> ArmResult:
    if arm.refused:
        return _result(arm, Proof(Reason(arm.refused), arm.detail, {}, None), "", {})
    near = {name: _near(proof.closeness) for name, proof in proofs.items()}
    for name, proof in proofs.items():
        if proof.reason is not None:
            return _result(arm, proof, name, near)
    same = all(proof.deterministic for proof in proofs.values()) if proofs else None
    run.device = run.device or (slot.facts if slot else {})
    return _result(arm, (timing.as_proof(slot) if slot else None) or Proof(None, "", {}, same), "", near)


def _ahead(run: Run, arms: Sequence[PlannedArm]) -> list[Sizes]:
    """Shapes whose sets will be needed: all that are timed, or those of the first looks."""
    shapes = {shape.name: shape for arm in arms for shape in _quick(run, arm)}
    return [one for one in run.plan.shapes if (one.time if run.times else one.name in shapes)]


def _quick(run: Run, arm: PlannedArm) -> list[Sizes]:
    """The one shape that an arm's times are first looked at on: the smallest it applies to."""
    shapes = [one for one in run.plan.shapes if one.time and one.name in arm.calls]
    return sorted(shapes, key=lambda shape: shape.bytes)[:1]


def _job(run: Run, arm: PlannedArm, shapes: Sequence[Sizes], novel: bool) -> timing.Job:
    _draw_timed(run, shapes)
    sets = {shape.name: run.timed[shape.name] for shape in shapes}
    return timing.Job(run.pack, run.plan, arm, sets, run.ceilings, novel)


def _draw_timed(run: Run, shapes: Sequence[Sizes]) -> None:
    """The sets that shapes are timed with, those that are not there yet."""
    wanted = [(shape, index) for shape in shapes if shape.name not in run.timed for index in range(run.plan.input_sets)]
    if not wanted:
        return
    with _phase(run, "inputs and references"), ThreadPoolExecutor(_at_once(run.plan)) as pool:
        drawn = list(pool.map(lambda one: run.source.draw(one[0], SECOND + 1 + one[1]), wanted))
    for (shape, _), one in zip(wanted, drawn, strict=True):
        run.timed.setdefault(shape.name, []).append(one)


@contextmanager
def _phase(run: Run, name: str) -> Iterator[None]:
    """Wall time of a part of the run, added up in the report."""
    began = time.monotonic()
    yield
    run.phases[name] = round(run.phases.get(name, 0.0) + time.monotonic() - began, 3)


def _time_all(run: Run, rng: random.Random) -> None:
    """Blocks of baseline, the baseline again as placebo, and every right arm, each a process, in shuffled order."""
    right = [run.plan.arm(name) for name, result in run.results.items() if not result.reason]
    baseline = run.plan.arm(run.plan.baseline)
    if baseline not in right:
        return
    shapes = [shape for shape in run.plan.shapes if shape.time]
    arms = [arm for arm in right if arm is not baseline and any(one.name in arm.calls for one in shapes)]
    for block in range(run.plan.blocks):
        slots = [("baseline", baseline), ("placebo", baseline), *(("arm", arm) for arm in arms)]
        rng.shuffle(slots)
        jobs = [_job(run, arm, shapes, novel=False) for _, arm in slots]
        for position, ((role, arm), slot) in enumerate(zip(slots, _timed(run, jobs), strict=True)):
            numbers = [Number(**vars(one)) for one in slot.times]
            reason = slot.reason.value if slot.reason else ""
            run.slots.append(SlotResult(block, position, role, arm.name, numbers, reason, slot.detail))


def _timed(run: Run, jobs: Sequence[timing.Job]) -> Iterator[timing.Slot]:
    """One after the other; on a card all processes of a block are started first, since starting one takes seconds."""
    at_once = _at_once(run.plan)
    with ExitStack() as stack, ThreadPoolExecutor(at_once) as pool:
        opened = [stack.enter_context(timing.Opened(job)) for job in jobs]
        if at_once > 1:
            with _phase(run, "starting processes"):
                list(pool.map(timing.Opened.start, opened))
        for one in opened:
            _say(one.job.arm)
            with _phase(run, "timed processes"):
                slot = one.slot()
                one.close()
            yield slot


def _result(arm: PlannedArm, proof: Proof, shape: str, near: dict[str, list[Near]]) -> ArmResult:
    reason = proof.reason.value if proof.reason else ""
    return ArmResult(arm.name, arm.family, arm.expected, reason, proof.detail, shape, proof.deterministic, near)


def _near(closeness: dict[str, Closeness]) -> list[Near]:
    finite = {name: near for name, near in closeness.items() if near.finite_alike}
    return [Near(name, near.norm, near.worst, list(near.place)) for name, near in finite.items()]
