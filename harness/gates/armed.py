"""Armed: asked, passed on, in force, and its effect seen (lessons A4, A5, A8). Pure.

What says most about the cause comes first: a request that did not reach the process, markers, settings in force,
objects and cards, and last the witness of the arm's effect.
"""

from collections.abc import Sequence

from harness.adapters.base import Adapter, EngineReport, merged_flags
from harness.gates.base import GateOutcome, failed, held, noted
from harness.gates.effective import differences_of
from harness.gates.loaded import unloaded, unused_cards
from harness.gates.markers import marker_fault, missing_markers
from harness.gates.reached import reached, unreached
from harness.gates.running import Running
from harness.gates.witness import spoken, unseen
from harness.vocabulary.arm import Arm
from harness.vocabulary.outcome import GateName, Reason
from harness.vocabulary.target import Target

__all__ = ["check_armed", "missing_markers", "self_armed"]

ARMED = GateName.ARMED
NOTHING_SEEN = Running()


def check_armed(
    target: Target,
    arm: Arm | None,
    arms: Sequence[Arm],
    adapter: Adapter,
    report: EngineReport,
    running: Running = NOTHING_SEEN,
) -> GateOutcome:
    """The gate of one launch; `arm` is none for baseline and placebo, `arms` are all arms of the plan.

    NO_WITNESS and SELF_ARMED are notes on a passed gate: the launch's numbers stand, but the arm cannot be shown to
    be engaged. A self-armed witness is a fault of the arm that names it, so it never voids the baseline for others.
    """
    if arm is not None and (lost := unreached(arm, running.processes)):
        return failed(ARMED, Reason.NOT_PASSED, "; ".join(lost))
    if fault := marker_fault(target, arm is None, report.log, running):
        return failed(ARMED, *fault)
    if differing := differences_of(target, arm, adapter, report):
        return failed(ARMED, differing[0].reason, "; ".join(one.sentence for one in differing))
    if arm is not None and (absent := unloaded(target, arm, running)):
        return failed(ARMED, Reason.OBJECT_NOT_LOADED, "; ".join(absent))
    if unused := unused_cards(merged_flags(target, arm), running):
        return failed(ARMED, Reason.CARD_UNUSED, unused)
    return _control(target, arms, report) if arm is None else _witnessed(arm, report, running)


def _witnessed(arm: Arm, report: EngineReport, running: Running) -> GateOutcome:
    """The arm's own witnesses. Seen in the process and without effect is another finding than not seen at all."""
    if not arm.witness:
        return noted(ARMED, Reason.NO_WITNESS, f"arm {arm.name!r} names no witness of its effect")
    absent = unseen(arm.witness, report)
    if not absent:
        return held(ARMED, f"seen: {'; '.join(spoken(witness) for witness in arm.witness)}")
    if place := reached(arm, running.processes):
        said = f"it is in {place}, and the engine shows no effect of it: not seen: {'; '.join(absent)}"
        alone = bool(arm.env) and not arm.flags
        return failed(ARMED, Reason.VARIABLE_IGNORED if alone else Reason.REQUEST_IGNORED, said)
    return failed(ARMED, Reason.NOT_ENGAGED, f"not seen: {'; '.join(absent)}")


def _control(target: Target, arms: Sequence[Arm], report: EngineReport) -> GateOutcome:
    absent = unseen(target.baseline.witness, report)
    if absent:
        return failed(ARMED, Reason.BASELINE_UNARMED, f"the baseline's witness was not seen: {'; '.join(absent)}")
    already = self_armed(arms, report)
    if already:
        names = ", ".join(repr(arm.name) for arm in already)
        return noted(ARMED, Reason.SELF_ARMED, f"the baseline already shows every witness of {names}")
    return held(ARMED, f"{len(target.baseline.witness)} of {len(target.baseline.witness)} witnesses of the baseline")


def self_armed(arms: Sequence[Arm], report: EngineReport) -> tuple[Arm, ...]:
    """The arms whose every witness is already true in this report of a baseline."""
    return tuple(arm for arm in arms if arm.witness and not unseen(arm.witness, report))
