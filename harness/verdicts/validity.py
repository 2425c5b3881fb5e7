"""The first axis: may a number exist for this arm at all? One validity, and every reason in words."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from harness.verdicts.cells import Cell, Layout, counted_from_one
from harness.vocabulary.arm import Arm
from harness.vocabulary.clocks import without_clock
from harness.vocabulary.outcome import DISTURBED, GateName, Reason, Role, Validity
from ledger.entries import Gate

# Which validity a reason leads to; every other reason is INVALID. The order is the priority: what says most is first.
PRIORITY: tuple[tuple[Validity, frozenset[Reason]], ...] = (
    (
        Validity.NOT_ARMED,
        frozenset(
            {
                Reason.NOT_ARMED,
                Reason.PARTLY_ARMED,
                Reason.MARKED_TWICE,
                Reason.MARKER_ELSEWHERE,
                Reason.NOT_PASSED,
                Reason.CLAMPED,
                Reason.OBJECT_NOT_LOADED,
                Reason.CARD_UNUSED,
            }
        ),
    ),
    (
        Validity.NOT_SHOWN_ENGAGED,
        frozenset({Reason.NOT_ENGAGED, Reason.REQUEST_IGNORED, Reason.VARIABLE_IGNORED, Reason.SELF_ARMED}),
    ),
    (Validity.CONTAMINATED, frozenset({Reason.STRANGER})),
)
# These never say that the input is wrong, however many launches they hit.
NOT_THE_INPUT = DISTURBED | {Reason.STRANGER, Reason.INTERRUPTED, Reason.HARNESS_LOST}


@dataclass(frozen=True)
class Soundness:
    """Validity of one arm, with a reason code and a sentence in each string."""

    validity: Validity
    reasons: tuple[str, ...] = ()


def shared_failure(layout: Layout) -> str | None:
    """The reason that every launch failed with, controls included (lesson A3), or none."""
    if not layout.of(Role.BASELINE) or not any(cell.launch.arm is not None for cell in layout.cells):
        return None
    reasons = [{failure.reason for failure in cell.failures} for cell in layout.cells]
    common = set.intersection(*reasons) - NOT_THE_INPUT
    return min(common, default=None)


def soundness(layout: Layout, arm: str) -> Soundness:
    """Judge one arm by its own launches, and by all launches where they fail alike."""
    cells = layout.of(Role.ARM, arm)
    reasons = sentences(cells)
    shared = shared_failure(layout)
    if shared is not None:
        said = f"{shared}: the controls failed in the same way, so the input is wrong, not the arm"
        return Soundness(Validity.INPUT_WRONG, (said, *reasons))
    failed = [cell.launch.block for cell in cells if cell.failures]
    if failed and len(failed) < len(cells):
        reasons = (*reasons, f"{Reason.MISSING_BLOCKS}: no number in block {counted_from_one(failed)}")
    codes = {failure.reason for cell in cells for failure in cell.failures}
    for validity, leading in PRIORITY:
        if codes & leading:
            first = sorted(reasons, key=lambda said: said.split(":")[0] not in leading)
            return Soundness(validity, tuple(first))
    return Soundness(Validity.INVALID if codes else Validity.VALID, reasons)


def sentences(cells: Sequence[Cell]) -> tuple[str, ...]:
    """Each reason with its sentence once, with how often and in which blocks it was seen.

    Sentences that differ in a clock alone are one, in the words of the first; each launch's gate keeps its own.
    """
    seen: dict[tuple[str, str], tuple[str, list[int]]] = {}
    for cell in cells:
        for failure in cell.failures:
            alike = (failure.reason, without_clock(failure.sentence))
            seen.setdefault(alike, (failure.sentence, []))[1].append(cell.launch.block)
    return tuple(f"{code}: {words} ({_times(blocks)})" for (code, _), (words, blocks) in seen.items())


def capability_gained(layout: Layout, arm: str, gates: Iterable[Gate]) -> bool:
    """Whether the capability gate failed on every baseline launch and held on every launch of the arm."""
    passed = {gate.launch: gate.passed for gate in gates if gate.gate == GateName.CAPABILITY}
    before = [passed.get(cell.launch.launch) for cell in layout.of(Role.BASELINE)]
    after = [passed.get(cell.launch.launch) for cell in layout.of(Role.ARM, arm)]
    placebo = [passed.get(cell.launch.launch, False) for cell in layout.of(Role.PLACEBO)]
    return bool(before and after) and all(p is False for p in before) and all(after) and not any(placebo)


def witness_lacks(layout: Layout, arm: Arm, gates: Iterable[Gate]) -> str | None:
    """Why the arm has no witness that tells it from the baseline, as code and sentence, or none if it has one.

    A control's armed gate notes SELF_ARMED and is about the arms whose witness the baseline shows as well.
    """
    if not arm.witness:
        return f"{Reason.NO_WITNESS}: arm {arm.name!r} names no witness of its effect"
    counted = {cell.launch.launch for cell in layout.cells if cell.launch.arm is None}
    for gate in gates:
        if gate.launch in counted and gate.reason == Reason.SELF_ARMED and arm.fingerprint in gate.about:
            return f"{Reason.SELF_ARMED}: {gate.evidence}"
    return None


def _times(blocks: Sequence[int]) -> str:
    where = f"block {counted_from_one(blocks)}"
    return f"{len(blocks)} launches, {where}" if len(blocks) > 1 else where
