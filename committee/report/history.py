"""Reads the whole ledger once into typed, ordered lists. The only file of the report that touches the ledger."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from ledger.entries import (
    Acceptance,
    Arm,
    Brief,
    Exclusion,
    Gate,
    Hypothesis,
    Launch,
    MeasuringRun,
    NotApplied,
    Parked,
    Payload,
    Proposal,
    Review,
    ReviewRun,
    RunEnd,
    TargetState,
    Trial,
    Verdict,
)
from ledger.store import Entry, Ledger

P = TypeVar("P", bound=Payload)


@dataclass(frozen=True)
class Stamped(Generic[P]):
    """A payload and what its entry says about it."""

    seq: int
    id: str
    time: str  # ISO 8601, UTC, as recorded
    actor: str
    payload: P


@dataclass(frozen=True)
class History:
    """Everything the report shows, each list in the order of the ledger."""

    head_seq: int
    head_id: str
    head_time: str  # time of the newest entry that is read here, empty for an empty ledger
    proposals: tuple[Stamped[Proposal], ...]
    review_runs: tuple[Stamped[ReviewRun], ...]
    reviews: tuple[Stamped[Review], ...]
    exclusions: tuple[Stamped[Exclusion], ...]
    hypotheses: tuple[Stamped[Hypothesis], ...]
    briefs: tuple[Stamped[Brief], ...]
    arms: tuple[Stamped[Arm], ...]
    states: tuple[Stamped[TargetState], ...]
    runs: tuple[Stamped[MeasuringRun], ...]
    launches: tuple[Stamped[Launch], ...]
    gates: tuple[Stamped[Gate], ...]
    trials: tuple[Stamped[Trial], ...]
    verdicts: tuple[Stamped[Verdict], ...]
    ends: tuple[Stamped[RunEnd], ...]
    acceptances: tuple[Stamped[Acceptance], ...]
    parked: tuple[Stamped[Parked], ...]
    not_applied: tuple[Stamped[NotApplied], ...]

    def arm_name(self, fingerprint: str | None) -> str:
        """The arm's latest name, or the first digits of its fingerprint where no arm entry names it."""
        names = [arm.payload.name for arm in self.arms if arm.payload.fingerprint == fingerprint]
        names += [item.payload.arm_name for item in self.verdicts if item.payload.arm == fingerprint]
        return names[-1] if names else (fingerprint or "")[:12]

    def superseded_by(self, acceptance: str) -> Stamped[Acceptance] | None:
        """The acceptance that replaces the one with this entry id, if any."""
        return next((later for later in self.acceptances if later.payload.supersedes == acceptance), None)


def read_history(ledger: Ledger) -> History:
    """One pass in order, so that a measurement which appends at this moment is seen up to one entry and no further."""
    entries = tuple(ledger.entries())
    return History(
        head_seq=entries[-1].seq if entries else 0,
        head_id=entries[-1].id if entries else "",
        head_time=entries[-1].time if entries else "",
        proposals=stamped(entries, Proposal),
        review_runs=stamped(entries, ReviewRun),
        reviews=stamped(entries, Review),
        exclusions=stamped(entries, Exclusion),
        hypotheses=stamped(entries, Hypothesis),
        briefs=stamped(entries, Brief),
        arms=stamped(entries, Arm),
        states=stamped(entries, TargetState),
        runs=stamped(entries, MeasuringRun),
        launches=stamped(entries, Launch),
        gates=stamped(entries, Gate),
        trials=stamped(entries, Trial),
        verdicts=stamped(entries, Verdict),
        ends=stamped(entries, RunEnd),
        acceptances=stamped(entries, Acceptance),
        parked=stamped(entries, Parked),
        not_applied=stamped(entries, NotApplied),
    )


def stamped(entries: Sequence[Entry], schema: type[P]) -> tuple[Stamped[P], ...]:
    """Every payload of one schema with its entry's stamp."""
    return tuple(
        Stamped(entry.seq, entry.id, entry.time, entry.actor, entry.payload)
        for entry in entries
        if isinstance(entry.payload, schema)
    )
