"""Whether an arm is right: a fixed sequence of calls at each shape in two processes, then one reason, or none.

Per process and shape: first inputs, other inputs at the same addresses, the first inputs at other addresses, inputs
that differ in one hidden element, and the first call again. The second process goes through it with the sets swapped.
Outputs and scratch hold another poison each time; every call is looked at when it returns and again when everything
has settled.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from harness.kernels.bench.arena import POISONS, Arena, Bytes
from harness.kernels.bench.closeness import Closeness, compare
from harness.kernels.bench.drawing import Drawn
from harness.kernels.bench.layout import Layout, lay_out
from harness.kernels.bench.plan import Plan, PlannedArm, Sizes
from harness.kernels.bench.process import Ended, Limits, Worker
from harness.kernels.bench.reasons import Reason

PLACES = 2


@dataclass(frozen=True)
class Proof:
    """What is known of an arm at one shape."""

    reason: Reason | None  # none: right
    detail: str
    closeness: dict[str, Closeness]  # of the first call's outputs; empty where nothing came back
    deterministic: bool | None  # the same call twice gave the same bytes; none where that was not reached


@dataclass(frozen=True)
class Sets:
    """The inputs that a proof uses."""

    first: Drawn
    second: Drawn
    altered: Drawn  # the first with one hidden element of each input changed


@dataclass(frozen=True)
class Seen:
    """One call of the sequence."""

    label: str
    given: Drawn
    outputs: dict[str, Bytes]
    poison: int


SAME_PLACE, OTHER_PLACE, HIDDEN, AGAIN = "same addresses", "other addresses", "one hidden element", "again"


def prove(pack: Path, plan: Plan, arm: PlannedArm, sets: Mapping[str, Sets]) -> dict[str, Proof]:
    """Both orders, a process each, through all shapes of `sets`; ends with the first shape that is not right.

    The first process decides unless only the second one fails.
    """
    forward = _one_process(pack, plan, arm, sets, backward=False)
    if any(proof.reason is not None for proof in forward.values()):
        return forward
    swapped = {name: Sets(one.second, one.first, one.altered) for name, one in sets.items()}
    backward = _one_process(pack, plan, arm, swapped, backward=True)
    return {name: _of_both(forward[name], proof) for name, proof in backward.items()}


def _of_both(forward: Proof, backward: Proof) -> Proof:
    """Right in the first process: what the second one adds."""
    if backward.reason is None:
        same = bool(forward.deterministic and backward.deterministic)
        return Proof(None, forward.detail, forward.closeness, same)
    if backward.reason in (Reason.WRONG_VALUES, Reason.NOT_FINITE, Reason.INCOMPLETE, Reason.NO_OP):
        detail = f"right when the sets came in one order, in the other: {backward.detail}"
        return Proof(Reason.ORDER_DEPENDENT, detail, backward.closeness, False)
    return backward


def _one_process(
    pack: Path, plan: Plan, arm: PlannedArm, sets: Mapping[str, Sets], *, backward: bool
) -> dict[str, Proof]:
    layouts = {name: lay_out(plan.parameters, plan.shape(name), arm, PLACES) for name in sets}
    poison = POISONS[int(backward)]
    environment = {"MALLOC_PERTURB_": str(poison)}  # what is freed and given out again holds no old result either
    arena = Arena(max(layout.total for layout in layouts.values()))
    found: dict[str, Proof] = {}
    try:
        limits = Limits(plan.wall_s, plan.memory_mib, environment)
        with Worker(pack, arm.name, arena.fd, arena.total, limits) as worker:
            ready = worker.ready()
            for name, layout in layouts.items():
                if isinstance(ready, Ended):
                    return {name: Proof(ready.reason, ready.detail, {}, None)}
                arena.use(layout)
                found[name] = _sequence(worker, arena, (plan, plan.shape(name)), sets[name], poison)
                if found[name].reason is not None:
                    break
            return found
    finally:
        arena.close()


def _sequence(worker: Worker, arena: Arena, task: tuple[Plan, Sizes], sets: Sets, poison: int) -> Proof:
    plan, shape = task
    taken = worker.ask("take", shape=shape.name, places=PLACES)
    if isinstance(taken, Ended):
        return Proof(taken.reason, taken.detail, {}, None)
    other = next(value for value in POISONS if value != poison)
    steps = (
        ("first call", 0, sets.first, poison),
        (SAME_PLACE, 0, sets.second, other),
        (OTHER_PLACE, 1, sets.first, other),
        (HIDDEN, 1, sets.altered, poison),
        (AGAIN, 0, sets.first, other),
    )
    seen: list[Seen] = []
    for label, place, given, fill in steps:
        found = _call(worker, arena, place, given, fill)
        if isinstance(found, Proof):
            told = worker.forged()
            return Proof(Reason.FORGED_VERDICT, f"it printed {told!r}", {}, None) if told else found
        seen.append(Seen(label, given, found, fill))
    if told := worker.forged():
        return Proof(Reason.FORGED_VERDICT, f"it printed {told!r}", {}, None)
    return judge(plan, arena.layout, seen)


def _call(worker: Worker, arena: Arena, place: int, given: Drawn, poison: int) -> dict[str, Bytes] | Proof:
    """Lay out, call, look, wait, look again."""
    arena.fill(place, given.inputs, poison)
    for do in ("push", "call"):
        reply = worker.ask(do, place=place)
        if isinstance(reply, Ended):
            return Proof(reply.reason, reply.detail, {}, None)
    returned = arena.snapshot()
    reply = worker.ask("settle", place=place)
    if isinstance(reply, Ended):
        return Proof(reply.reason, reply.detail, {}, None)
    settled = arena.outputs(place)
    if where := arena.trespass(place):
        return Proof(Reason.OUT_OF_BOUNDS, f"it wrote {where}", {}, None)
    if name := arena.changed_input(place, given.inputs):
        return Proof(Reason.INPUT_CHANGED, f"it wrote to input {name!r}", {}, None)
    for name, now in returned.items():
        late = int(np.count_nonzero(now != settled[name]))
        if late:
            return Proof(Reason.DEFERRED, f"{late} bytes of {name!r} changed after the call had returned", {}, None)
    return returned


def judge(plan: Plan, layout: Layout, seen: Sequence[Seen]) -> Proof:
    """From what the calls left behind to one reason. Pure."""
    first = seen[0]
    closeness = closeness_of(layout, first)
    if fault := first_fault(plan, layout, first, closeness):
        return Proof(*fault, closeness, None)
    wrong = {one.label: fault for one in seen[1:] if (fault := first_fault(plan, layout, one))}
    by_label = {one.label: one for one in seen}
    same = all(np.array_equal(first.outputs[name], by_label[AGAIN].outputs[name]) for name in first.outputs)
    if not wrong:
        worst = "; ".join(near.sentence(name) for name, near in closeness.items())
        return Proof(None, worst, closeness, bool(same))
    return Proof(*_classified(wrong, by_label), closeness, bool(same))


def _classified(wrong: dict[str, tuple[Reason, str]], seen: dict[str, Seen]) -> tuple[Reason, str]:
    """Right at first and wrong later: which memory is behind it."""
    blank = {label for label, (reason, _) in wrong.items() if reason is Reason.NO_OP}
    if OTHER_PLACE in blank and SAME_PLACE in blank:
        return Reason.STALE, "it wrote its output in its first call and in none after that"
    if SAME_PLACE in wrong and OTHER_PLACE not in wrong:
        return (
            Reason.MEMO_POINTER,
            "new contents at addresses it had seen gave no new output; at other addresses it is right",
        )
    if HIDDEN in wrong and SAME_PLACE not in wrong:
        before, now = seen[OTHER_PLACE].outputs, seen[HIDDEN].outputs
        if all(np.array_equal(before[name], now[name]) for name in before):
            return Reason.MEMO_CONTENTS, "one changed element in the middle of each input gave the output from before"
    label = next(iter(wrong))
    reason, detail = wrong[label]
    return reason, f"right in the first call, not in a later one ({label}): {detail}"


def first_fault(
    plan: Plan, layout: Layout, seen: Seen, closeness: Mapping[str, Closeness] | None = None
) -> tuple[Reason, str] | None:
    """Why one call's outputs are not right, none if they are; `closeness` is theirs where it is known already."""
    for one in layout.outputs:
        left = _untouched(seen.outputs[one.name], seen.poison, one.size, one.dtype)
        elements = one.size // np.dtype(one.dtype).itemsize
        if elements == one.size and not left.all():
            left &= _unlike(seen.given.expected[one.name], one.dtype, seen.poison)
        untouched = int(np.count_nonzero(left))
        if untouched == elements:
            return Reason.NO_OP, f"{one.name!r} was not written to"
        if untouched > 1:  # one element may hold the poison's value by right
            return Reason.INCOMPLETE, f"{untouched} of {elements} elements of {one.name!r} were not written to"
    for name, near in (closeness or closeness_of(layout, seen)).items():
        if not near.finite_alike:
            return Reason.NOT_FINITE, near.sentence(name)
        if not near.within(plan.norm, plan.worst):
            return Reason.WRONG_VALUES, near.sentence(name)
    return None


def _untouched(output: Bytes, poison: int, size: int, dtype: str) -> NDArray[np.bool_]:
    """Which elements still hold the poison in every byte."""
    whole = np.dtype(f"u{np.dtype(dtype).itemsize}")
    pattern = np.full(whole.itemsize, poison, dtype=np.uint8).view(whole)[0]
    still: NDArray[np.bool_] = output[:size].view(whole) == pattern
    return still


def _unlike(expected: NDArray[np.generic], dtype: str, poison: int) -> NDArray[np.bool_]:
    """Where the reference is no neighbour of the poison: elsewhere a byte may hold the poison's value by right."""
    value = int(np.array([poison], np.uint8).view(dtype)[0])
    unlike: NDArray[np.bool_] = np.abs(expected.reshape(-1).astype(np.float64) - value) > 1
    return unlike


def closeness_of(layout: Layout, seen: Seen) -> dict[str, Closeness]:
    """Each output of a call against its reference."""
    return {
        one.name: compare(seen.outputs[one.name].view(one.dtype).reshape(one.extent), seen.given.expected[one.name])
        for one in layout.outputs
    }
