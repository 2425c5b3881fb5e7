"""What a person's command saw of production, as an entry: an attestation, a restore. Pure; it looks at nothing."""

from harness.hosts.base import Held
from harness.hosts.restore import RestoreOutcome
from harness.vocabulary.target import Target
from harness.workflow.attest import Attestation
from ledger.entries import TargetState

ATTESTED, COMMANDED = "a person's look", "a person's command"


def attested(target: Target, seen: Attestation, accepted: str) -> TargetState | None:
    """The state that was seen; none where another process answers, which is no state of production.

    `accepted` is the fingerprint of the accepted arm that the target holds, empty for none: it counts only where
    nothing differs from the file.
    """
    if seen.pid is not None and not seen.running.processes:
        return None
    up = seen.pid is not None
    return TargetState(
        target=target.name,
        state="up" if up else "down",
        by=ATTESTED,
        run=None,
        pid=seen.pid,
        start_time=None,
        url=seen.url if up else None,
        accepted=accepted if seen.as_described else None,
        evidence=seen.sentence,
    )


def restored(target: str, outcome: RestoreOutcome) -> TargetState:
    """Production after `harness restore`, which starts what was recorded as production, whatever the file says now."""
    held: Held | None = outcome.held if outcome.up else None
    return TargetState(
        target=target,
        state="restored" if held else "restore_failed",
        by=COMMANDED,
        run=None,
        pid=held.pid if held else None,
        start_time=held.start_time if held else None,
        url=None,
        evidence=outcome.sentence,
    )
