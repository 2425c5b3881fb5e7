"""Stricter: does this target or these criteria ask for what the accepted baseline has not passed (lesson R3c)? Pure.

Making a gate stricter can turn production red. That is a person's decision about existing behaviour.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from harness.adapters.base import EngineReport
from harness.gates.markers import missing_markers
from harness.gates.witness import spoken, unseen
from harness.vocabulary.arm import Witness
from harness.vocabulary.outcome import GateName
from harness.vocabulary.target import Target

# Gates that are about an arm's own findings or about the machine, not about production.
NOT_ABOUT_PRODUCTION = frozenset({GateName.CAPABILITY, GateName.QUALITY, GateName.IDENTICAL, GateName.QUIET})


@dataclass(frozen=True)
class Passed:
    """What is on record of the accepted baseline: one run's launches of that very configuration."""

    run: str
    gates: frozenset[str]  # names of the gates that held on every one of these launches
    log: str  # the log of the newest of them


def stricter(target: Target, gates: Sequence[GateName], passed: Passed) -> tuple[str, ...]:
    """One sentence for everything asked for now that the accepted baseline did not show then; empty if nothing."""
    lacking = [gate for gate in gates if gate not in NOT_ABOUT_PRODUCTION and gate.value not in passed.gates]
    witnesses = [one for one in target.baseline.witness if one.source == "log"]
    return (
        *(f"gate {gate.value!r} did not hold on it, or was not checked" for gate in lacking),
        *missing_markers(target, passed.log),
        *(f"the baseline's witness is not in its log: {spoken(one)}" for one in witnesses if _unseen(one, passed.log)),
    )


def _unseen(witness: Witness, log: str) -> bool:
    return bool(unseen((witness,), EngineReport(log=log)))
