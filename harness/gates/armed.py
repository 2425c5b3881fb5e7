"""Armed: markers k of k, effective settings as asked, and the witness of the arm seen (lessons A4, A5, A8). Pure."""

import re
from collections.abc import Sequence

from harness.adapters.base import Adapter, EngineReport, merged_flags
from harness.gates.base import GateOutcome, failed, held, noted
from harness.gates.witness import spoken, unseen
from harness.vocabulary.arm import Arm
from harness.vocabulary.outcome import GateName, Reason
from harness.vocabulary.target import Target

ARMED = GateName.ARMED


def check_armed(
    target: Target, arm: Arm | None, arms: Sequence[Arm], adapter: Adapter, report: EngineReport
) -> GateOutcome:
    """The gate of one launch; `arm` is none for baseline and placebo, `arms` are all arms of the plan.

    NO_WITNESS and SELF_ARMED are notes on a passed gate: the launch's numbers stand, but the arm cannot be shown to
    be engaged. A self-armed witness is a fault of the arm that names it, so it never voids the baseline for others.
    """
    missing = missing_markers(target, report.log)
    if missing:
        return failed(ARMED, Reason.NOT_ARMED, "; ".join(missing))
    differing = differing_settings(target, arm, adapter, report)
    if differing:
        return failed(ARMED, Reason.NOT_ARMED, "; ".join(differing))
    if arm is None:
        return _control(target, arms, report)
    if not arm.witness:
        return noted(ARMED, Reason.NO_WITNESS, f"arm {arm.name!r} names no witness of its effect")
    absent = unseen(arm.witness, report)
    if absent:
        return failed(ARMED, Reason.NOT_ENGAGED, f"not seen: {'; '.join(absent)}")
    return held(ARMED, f"seen: {'; '.join(spoken(witness) for witness in arm.witness)}")


def _control(target: Target, arms: Sequence[Arm], report: EngineReport) -> GateOutcome:
    absent = unseen(target.baseline.witness, report)
    if absent:
        return failed(ARMED, Reason.NOT_ENGAGED, f"the baseline's witness was not seen: {'; '.join(absent)}")
    already = self_armed(arms, report)
    if already:
        names = ", ".join(repr(arm.name) for arm in already)
        return noted(ARMED, Reason.SELF_ARMED, f"the baseline already shows every witness of {names}")
    return held(ARMED, f"{len(target.baseline.witness)} of {len(target.baseline.witness)} witnesses of the baseline")


def self_armed(arms: Sequence[Arm], report: EngineReport) -> tuple[Arm, ...]:
    """The arms whose every witness is already true in this report of a baseline."""
    return tuple(arm for arm in arms if arm.witness and not unseen(arm.witness, report))


def missing_markers(target: Target, log: str) -> tuple[str, ...]:
    """One sentence for each marker that does not stand as often as it must, k of k."""
    said: list[str] = []
    for armed in target.armed:
        count = len(re.findall(armed.marker, log, re.MULTILINE))
        if count != armed.count:
            said.append(f"marker {armed.marker!r} stands {count} times, {armed.count} needed")
    return tuple(said)


def differing_settings(target: Target, arm: Arm | None, adapter: Adapter, report: EngineReport) -> tuple[str, ...]:
    """One sentence for each flag whose value in force, as the engine says, is not the one asked for."""
    said: list[str] = []
    for flag, value in merged_flags(target, arm).items():
        asked, effective = adapter.comparable(flag, value), report.effective.get(flag)
        if asked is not None and effective is not None and asked != effective:
            said.append(f"asked {flag}={asked}, the engine says {effective}")
    return tuple(said)
