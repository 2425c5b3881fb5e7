"""A target as it was accepted at an earlier moment: the file that a person wrote, with the acceptances before it.

Rebuilt from the ledger, because the overlay on disk holds the newest acceptance only.
"""

from pathlib import Path

from committee.accept.baseline import merged
from harness.vocabulary.accepted import Accepted, with_accepted
from harness.vocabulary.target import Target
from harness.workflow.admitted import arm_in
from ledger.entries import Acceptance, Arm
from ledger.store import Ledger


def target_as_of(ledger: Ledger, file: Path, seq: int) -> Target:
    """The target of `file` with every acceptance that is on record before entry `seq`. Raises BadFileError."""
    target = Target.from_toml(file)
    accepted: Accepted | None = None
    for entry, acceptance in ledger.of(Acceptance, target=target.name):
        arms = ledger.of(Arm, fingerprint=acceptance.arm, target=target.name)
        if entry.seq < seq and arms:
            accepted = merged(target, accepted, arm_in(arms[-1][1]), entry, acceptance)
    return target if accepted is None else with_accepted(target, accepted)
