"""Pure: what is in force on each target: acceptances on top of each other, and rollbacks that take them off again."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from committee.report.evidence import Stamped
from ledger.entries import Acceptance, Rollback

Baseline = tuple[Stamped[Acceptance], ...]


@dataclass(frozen=True)
class Courses:
    """Of every target, derived once."""

    baselines: dict[str, Baseline] = field(default_factory=dict)  # by target, what is in force now, oldest first
    replaced: dict[str, Stamped[Acceptance]] = field(default_factory=dict)  # by acceptance: what took its place
    left: dict[str, Stamped[Rollback]] = field(default_factory=dict)  # by acceptance: the rollback that left it


def courses(acceptances: Sequence[Stamped[Acceptance]], rollbacks: Sequence[Stamped[Rollback]]) -> Courses:
    """Walk through all changes in order; what was gone back to is in force again, and neither replaced nor left."""
    made, kept = Courses(), dict[str, Baseline]()
    items: list[Stamped[Acceptance] | Stamped[Rollback]] = [*acceptances, *rollbacks]
    for item in sorted(items, key=lambda one: one.seq):
        payload = item.payload
        before = made.baselines.get(payload.target, ())
        if isinstance(payload, Rollback):
            for one in before[-1:]:
                made.left[one.id] = Stamped(item.seq, item.id, item.time, item.actor, payload)
            now = kept.get(payload.back_to or "", ())
        else:
            accepted = Stamped(item.seq, item.id, item.time, item.actor, payload)
            for one in before[-1:]:
                made.replaced[one.id] = accepted
            now = kept[item.id] = (*before, accepted)
        made.baselines[payload.target] = now
        for one in now[-1:]:
            made.replaced.pop(one.id, None)
            made.left.pop(one.id, None)
    return made
