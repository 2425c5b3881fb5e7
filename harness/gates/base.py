"""The outcome of one gate: a value, also when the check did not hold."""

from dataclasses import dataclass

from harness.vocabulary.outcome import GateName, Reason


@dataclass(frozen=True)
class GateOutcome:
    """`reason` may accompany a passed gate as a note (NO_WITNESS, SELF_ARMED); a failed gate always has one."""

    gate: GateName
    passed: bool
    reason: Reason | None
    evidence: str  # what was seen, in one line
    texts: tuple[str, ...] | None = None  # generated texts, for gates that read them
    seen: str | None = None  # everything that was looked at, as JSON, for gates that compare what runs


def held(gate: GateName, evidence: str, texts: tuple[str, ...] | None = None) -> GateOutcome:
    """The check held."""
    return GateOutcome(gate, True, None, evidence, texts)


def noted(gate: GateName, note: Reason, evidence: str) -> GateOutcome:
    """The check held, with a note that limits what a verdict may say."""
    return GateOutcome(gate, True, note, evidence)


def failed(gate: GateName, reason: Reason, evidence: str, texts: tuple[str, ...] | None = None) -> GateOutcome:
    """The check did not hold."""
    return GateOutcome(gate, False, reason, evidence, texts)
