"""What was believed at a moment: accepted arms, each arm's newest primary verdict, and the doubts known by then."""

from dataclasses import dataclass

from ledger.entries import Acceptance, NotApplied, Parked, Rollback, Verdict
from ledger.standing import Doubt, doubts
from ledger.store import Entry, Ledger


@dataclass(frozen=True)
class Held:
    """One thing that was believed, and what spoke against it by then."""

    entry: Entry
    words: str
    doubts: tuple[Doubt, ...]


@dataclass(frozen=True)
class Belief:
    """Everything that was believed."""

    accepted: tuple[Held, ...]  # in force, one a target; what was gone back from is not
    measured: tuple[Held, ...]  # newest primary verdict of each arm on each target
    left_alone: tuple[Held, ...]  # not applied, parked


def believed(ledger: Ledger, when: str) -> Belief:
    """As of a time, written as entries have it (UTC, ending in Z)."""
    against = doubts(ledger, before=when)

    def held(entry: Entry, words: str) -> Held:
        return Held(entry, words, against.get(entry.id, ()))

    accepted: dict[str, Held] = {}
    measured: dict[tuple[str, str], Held] = {}
    alone: list[Held] = []
    made: dict[str, Held] = {}
    for entry in ledger.entries(Acceptance.kind, Rollback.kind, Verdict.kind, NotApplied.kind, Parked.kind):
        payload = entry.payload
        if entry.time > when:
            continue
        if isinstance(payload, Acceptance):
            words = f"{payload.target}: {payload.arm_name} accepted by {payload.person}"
            accepted[payload.target] = made[entry.id] = held(entry, words)
        elif isinstance(payload, Rollback):
            accepted.pop(payload.target, None)
            if payload.back_to in made:
                accepted[payload.target] = made[payload.back_to]
        elif isinstance(payload, Verdict) and payload.primary:
            measured[payload.target, payload.arm] = held(entry, _verdict(payload))
        elif isinstance(payload, NotApplied):
            alone.append(held(entry, f"{payload.target}: {payload.arm_name} not applied: {payload.reason}"))
        elif isinstance(payload, Parked):
            alone.append(held(entry, f"{payload.subject} parked: {payload.reason}"))
    return Belief(tuple(accepted.values()), tuple(measured.values()), tuple(alone))


def _verdict(verdict: Verdict) -> str:
    what = f"{verdict.target}: {verdict.arm_name}, {verdict.metric} at {verdict.load} users"
    if verdict.interval is None or verdict.speed is None:
        return f"{what}: {verdict.validity}"
    interval = verdict.interval
    return (
        f"{what}: {verdict.speed}, {interval.estimate_pct:+.1f} % ({interval.low_pct:+.1f} to "
        f"{interval.high_pct:+.1f}), text {verdict.numerics}"
    )
