"""Planted controls: arms whose verdict is known beforehand. A bench that gets one wrong is believed about none."""

from collections.abc import Mapping

from harness.verdicts.measured import Measured
from harness.verdicts.validity import Soundness
from harness.vocabulary.arm import Arm
from harness.vocabulary.criteria import Criteria
from harness.vocabulary.outcome import Speed, Validity


def wrong_control(
    criteria: Criteria, arms: Mapping[str, Arm], sound: Mapping[str, Soundness], primary: Mapping[str, Measured]
) -> str | None:
    """A sentence for the first planted control (by its place in the criteria) that came out otherwise, or none.

    `primary` holds what the primary metric says, by arm; a control without an answer there is AMBIGUOUS.
    """
    by_name = {arm.name: fingerprint for fingerprint, arm in arms.items()}
    for control in criteria.design.controls:
        fingerprint = by_name.get(control.arm)
        if fingerprint is None:
            return f"control {control.arm!r} is no arm of this run, so nothing was checked"
        validity = sound[fingerprint].validity
        answer = primary[fingerprint].answers.get(fingerprint) if fingerprint in primary else None
        speed = answer.speed if answer is not None else Speed.AMBIGUOUS
        came_out = validity if validity is not Validity.VALID else speed
        if not _as_known(control.kind, validity, speed):
            return f"control {control.arm!r} is planted as {control.kind} and came out {came_out}"
    return None


def _as_known(kind: str, validity: Validity, speed: Speed) -> bool:
    if kind == "cheat":
        return validity is not Validity.VALID
    if kind == "known-bad":
        return validity is not Validity.VALID or speed is Speed.SLOWER
    return validity is Validity.VALID and speed in (Speed.SAME, Speed.AMBIGUOUS)
