"""The launches on record of the accepted baseline: the accepted arm's in its run, else the newest run's baseline."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from harness.vocabulary.outcome import GateName, Role
from ledger.entries import Gate, Launch, MeasuringRun, RunEnd
from ledger.in_force import course_of
from ledger.store import Ledger


@dataclass(frozen=True)
class RecordedBaseline:
    """What ran when the accepted baseline was last measured, as its armed gate kept it."""

    run: str
    effective: Mapping[str, str] = field(default_factory=dict)  # flag -> value in force, as the engine said
    objects: Mapping[str, str] = field(default_factory=dict)  # path -> SHA-256 of what was mapped


def accepted_launches(ledger: Ledger, target: str) -> tuple[Launch, ...]:
    """Launches that ran, of one run, oldest first; empty where nothing of the baseline is on record.

    Where nothing accepted is in force, only runs count that began while nothing was: others had another baseline.
    """
    course = course_of(ledger, target)
    accepted = course.now
    if accepted is not None:
        return _launches(ledger, accepted[1].run, accepted[1].arm)
    completed = {end.run for _, end in ledger.of(RunEnd) if end.outcome == "completed"}
    plans = [(entry.seq, plan.run) for entry, plan in ledger.of(MeasuringRun, target=target)]
    runs = [run for seq, run in plans if run in completed and course.before(seq) is None]
    return _launches(ledger, runs[-1], None) if runs else ()


def recorded_baseline(ledger: Ledger, target: str) -> RecordedBaseline | None:
    """What ran then; none where nothing was kept."""
    for launch in reversed(accepted_launches(ledger, target)):
        for _, gate in ledger.of(Gate, run=launch.run):
            if gate.launch == launch.launch and gate.gate == GateName.ARMED.value and gate.seen is not None:
                seen = json.loads(ledger.read_blob(gate.seen.sha256))
                objects = {one["path"]: one["sha256"] for one in seen["host"]["objects"] if one["sha256"]}
                return RecordedBaseline(launch.run, seen["engine"]["effective"], objects)
    return None


def _launches(ledger: Ledger, run: str, arm: str | None) -> tuple[Launch, ...]:
    return tuple(one for _, one in ledger.of(Launch, run=run) if one.outcome == "ran" and _is(one, arm))


def _is(launch: Launch, arm: str | None) -> bool:
    return launch.arm == arm if arm is not None else launch.role == Role.BASELINE.value
