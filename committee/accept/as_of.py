"""A target as it was accepted at an earlier moment: the file that a person wrote, with what was in force over it.

Rebuilt from the ledger, because the overlay on disk holds the newest acceptance only.
"""

from pathlib import Path

from committee.accept.baseline import merged
from harness.vocabulary.accepted import Accepted, with_accepted
from harness.vocabulary.target import Target
from harness.workflow.admitted import arm_in
from ledger.entries import Arm
from ledger.in_force import Course, Decided, course_of
from ledger.store import Ledger


def target_as_of(ledger: Ledger, file: Path, seq: int) -> Target:
    """The target of `file` with what was in force before entry `seq`. Raises BadFileError."""
    target = Target.from_toml(file)
    course = course_of(ledger, target.name)
    accepted = settings_of(ledger, target, course, course.before(seq))
    return target if accepted is None else with_accepted(target, accepted)


def settings_of(ledger: Ledger, target: Target, course: Course, decided: Decided | None) -> Accepted | None:
    """The settings that an acceptance put in force, laid over those of the one before it. Raises BadFileError."""
    steps: list[Decided] = []
    while decided is not None:
        steps.append(decided)
        decided = course.before(decided[0].seq)
    accepted: Accepted | None = None
    for entry, acceptance in reversed(steps):
        arms = ledger.of(Arm, fingerprint=acceptance.arm, target=target.name)
        if arms:
            accepted = merged(target, accepted, arm_in(arms[-1][1]), entry, acceptance)
    return accepted
