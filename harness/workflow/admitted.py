"""Arms as a plan admitted them: read back from the plan's own entries, and the very change that was checked."""

from harness.vocabulary.arm import Arm
from harness.vocabulary.base import BadFileError
from harness.vocabulary.target import Target
from harness.workflow.approvals import taken_back
from ledger.entries import Arm as ArmEntry
from ledger.entries import MeasuringRun
from ledger.store import Ledger


def arm_in(entry: ArmEntry) -> Arm:
    """The arm of an entry. Raises BadFileError unless its definition is the change that its fingerprint names."""
    arm = Arm.from_mapping(entry.definition, f"arm {entry.name} on record")
    if arm.fingerprint != entry.fingerprint:
        raise BadFileError(
            f"arm {entry.name!r} on record is not the change that its fingerprint {entry.fingerprint[:12]} names, "
            "so it is never launched; run `committee verify` and order a new run"
        )
    return arm


def arms_of(ledger: Ledger, plan: MeasuringRun) -> dict[str, Arm]:
    """The arms of a plan by fingerprint, from the entries committed together with it.

    What others recorded under the same fingerprint, before or after, may have another witness and does not count.
    Raises BadFileError.
    """
    began = next((entry.seq for entry, _ in ledger.of(MeasuringRun, run=plan.run)), 0)
    found = {
        arm.fingerprint: arm_in(arm)
        for entry, arm in ledger.of(ArmEntry, target=plan.target)
        if began < entry.seq <= began + len(plan.arms) and arm.proposal == plan.proposal
    }
    if missing := [fingerprint[:12] for fingerprint in plan.arms if fingerprint not in found]:
        raise BadFileError(f"run {plan.run} was planned without its arm {missing[0]} on record; order a new run")
    return {fingerprint: found[fingerprint] for fingerprint in plan.arms}


def launchable(ledger: Ledger, plan: MeasuringRun, target: Target) -> dict[str, Arm]:
    """The plan's arms, right before they are launched: the target allows them still, and no yes was taken back.

    Raises BadFileError.
    """
    arms = arms_of(ledger, plan)
    if said := taken_back(ledger, plan.proposal, plan.arms):
        raise BadFileError(said)
    if denials := [denial for arm in arms.values() for denial in target.denials(arm)]:
        raise BadFileError("; ".join(denials))
    return arms
