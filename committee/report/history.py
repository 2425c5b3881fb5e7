"""Reads the ledger once into typed, ordered lists; with `evidence.py` the only file that touches the ledger."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

from committee.report.courses import Courses, courses
from committee.report.doubts import Doubtful, doubtful
from committee.report.evidence import Evidence, LedgerEvidence, Stamped, stamp
from committee.report.withheld import wordless
from ledger.entries import (
    Acceptance,
    Arm,
    Brief,
    Deployment,
    Exclusion,
    Hypothesis,
    ImportedPage,
    Invalidation,
    KernelRun,
    KernelVerdict,
    MeasuringRun,
    NotApplied,
    Parked,
    Payload,
    Proposal,
    Reference,
    Review,
    ReviewRun,
    Rollback,
    RunEnd,
    Supersession,
    TargetState,
    Ticket,
    Tombstone,
    Verdict,
    Watch,
)
from ledger.store import Entry, Ledger

__all__ = ["History", "Stamped", "grouped", "read_history", "stamped"]

P = TypeVar("P", bound=Payload)
K = TypeVar("K", bound=Hashable)
T = TypeVar("T")
READ: tuple[type[Payload], ...] = (
    Acceptance, Arm, Brief, Exclusion, Hypothesis, ImportedPage, Invalidation, KernelRun,
    KernelVerdict, MeasuringRun, NotApplied, Parked,
    Proposal, Reference, Review, ReviewRun, RunEnd, Supersession, TargetState, Tombstone, Verdict,
    Deployment, Rollback, Ticket, Watch,
)  # fmt: skip


@dataclass(frozen=True)
class History:
    """Everything the report shows, each list in the order of the ledger."""

    head_seq: int
    head_id: str
    head_time: str  # time of the newest entry, empty for an empty ledger
    evidence: Evidence
    proposals: tuple[Stamped[Proposal], ...]
    review_runs: tuple[Stamped[ReviewRun], ...]
    reviews: tuple[Stamped[Review], ...]
    exclusions: tuple[Stamped[Exclusion], ...]
    hypotheses: tuple[Stamped[Hypothesis], ...]
    briefs: tuple[Stamped[Brief], ...]
    arms: tuple[Stamped[Arm], ...]
    states: tuple[Stamped[TargetState], ...]
    runs: tuple[Stamped[MeasuringRun], ...]
    verdicts: tuple[Stamped[Verdict], ...]
    ends: tuple[Stamped[RunEnd], ...]
    acceptances: tuple[Stamped[Acceptance], ...]
    parked: tuple[Stamped[Parked], ...]
    not_applied: tuple[Stamped[NotApplied], ...]
    pages: tuple[Stamped[ImportedPage], ...] = ()
    kernel_runs: tuple[Stamped[KernelRun], ...] = ()
    kernel_verdicts: tuple[Stamped[KernelVerdict], ...] = ()
    references: tuple[Stamped[Reference], ...] = ()
    tickets: tuple[Stamped[Ticket], ...] = ()
    deployments: tuple[Stamped[Deployment], ...] = ()
    watches: tuple[Stamped[Watch], ...] = ()
    rollbacks: tuple[Stamped[Rollback], ...] = ()
    marks: tuple[Stamped[Invalidation] | Stamped[Supersession], ...] = ()
    wordless: tuple[Stamped[Hypothesis], ...] = ()  # withheld ones, as far as they count
    withheld: int = 0  # tombstones: what was withheld is not shown any more
    doubts: Mapping[str, tuple[Doubtful, ...]] = field(default_factory=dict)  # by entry id: why it does not stand

    def arm_name(self, fingerprint: str | None) -> str:
        """The arm's latest name, or the first digits of its fingerprint where no arm entry names it."""
        return self._names.get(fingerprint or "") or (fingerprint or "")[:12]

    def superseded_by(self, acceptance: str) -> Stamped[Acceptance] | None:
        """The acceptance that replaces the one with this entry id and was not gone back from, if any."""
        return self._courses.replaced.get(acceptance)

    def gone_back_from(self, acceptance: str) -> Stamped[Rollback] | None:
        """The rollback that took the one with this entry id out of force, if that is how it ended."""
        return self._courses.left.get(acceptance)

    def baseline_of(self, target: str) -> tuple[Stamped[Acceptance], ...]:
        """The acceptances that make a target's baseline now, each on top of the one before it."""
        return self._courses.baselines.get(target, ())

    def states_of(self, target: str) -> tuple[Stamped[TargetState], ...]:
        """A target's states on record."""
        return self._states.get(target, ())

    def states_in(self, run: str) -> tuple[Stamped[TargetState], ...]:
        """States seen during a measuring run."""
        return self._states_in_run.get(run, ())

    def verdicts_of(self, run: str) -> tuple[Stamped[Verdict], ...]:
        """A measuring run's verdicts."""
        return self._verdicts.get(run, ())

    def ends_of(self, run: str) -> tuple[Stamped[RunEnd], ...]:
        """A measuring run's ends: more than one where it was resumed."""
        return self._ends.get(run, ())

    def acceptances_at(self, target: str) -> tuple[Stamped[Acceptance], ...]:
        """Every acceptance that changed a target's baseline."""
        return self._accepted.get(target, ())

    def hypotheses_of(self, run: str) -> tuple[Stamped[Hypothesis], ...]:
        """A review run's hypotheses."""
        return self._hypotheses.get(run, ())

    def not_applied_in(self, run: str) -> tuple[Stamped[NotApplied], ...]:
        """What a person decided against after a measuring run."""
        return self._left_out.get(run, ())

    def parked_in(self, proposal: str | None) -> tuple[Stamped[Parked], ...]:
        """What was set aside under a proposal."""
        return self._parked.get(proposal, ())

    @cached_property
    def _names(self) -> dict[str, str]:
        named = {item.payload.fingerprint: item.payload.name for item in self.arms}
        return named | {item.payload.arm: item.payload.arm_name for item in self.verdicts}

    @cached_property
    def _courses(self) -> Courses:
        return courses(self.acceptances, self.rollbacks)

    @cached_property
    def _states(self) -> dict[str, tuple[Stamped[TargetState], ...]]:
        return grouped(self.states, lambda item: item.payload.target)

    @cached_property
    def _states_in_run(self) -> dict[str | None, tuple[Stamped[TargetState], ...]]:
        return grouped(self.states, lambda item: item.payload.run)

    @cached_property
    def _verdicts(self) -> dict[str, tuple[Stamped[Verdict], ...]]:
        return grouped(self.verdicts, lambda item: item.payload.run)

    @cached_property
    def _ends(self) -> dict[str, tuple[Stamped[RunEnd], ...]]:
        return grouped(self.ends, lambda item: item.payload.run)

    @cached_property
    def _accepted(self) -> dict[str, tuple[Stamped[Acceptance], ...]]:
        return grouped(self.acceptances, lambda item: item.payload.target)

    @cached_property
    def _hypotheses(self) -> dict[str, tuple[Stamped[Hypothesis], ...]]:
        return grouped(self.hypotheses, lambda item: item.payload.run)

    @cached_property
    def _left_out(self) -> dict[str, tuple[Stamped[NotApplied], ...]]:
        return grouped(self.not_applied, lambda item: item.payload.run)

    @cached_property
    def _parked(self) -> dict[str | None, tuple[Stamped[Parked], ...]]:
        return grouped(self.parked, lambda item: item.payload.proposal)


def grouped(items: Iterable[T], key: Callable[[T], K]) -> dict[K, tuple[T, ...]]:
    """Items by a key, each list in their order; keys in order of their first item."""
    found: dict[K, list[T]] = defaultdict(list)
    for item in items:
        found[key(item)].append(item)
    return {one: tuple(several) for one, several in found.items()}


def read_history(ledger: Ledger) -> History:
    """Up to the newest entry there is now and no further, also while a measurement appends."""
    head = ledger.head()
    newest = head.seq if head else 0
    entries = [entry for entry in ledger.entries(*(schema.kind for schema in READ)) if entry.seq <= newest]
    return History(
        head_seq=newest,
        head_id=head.id if head else "",
        head_time=ledger.find(f"#{newest}").time if head else "",
        evidence=LedgerEvidence(ledger, newest),
        proposals=stamped(entries, Proposal),
        review_runs=stamped(entries, ReviewRun),
        reviews=stamped(entries, Review),
        exclusions=stamped(entries, Exclusion),
        hypotheses=stamped(entries, Hypothesis),
        briefs=stamped(entries, Brief),
        arms=stamped(entries, Arm),
        states=stamped(entries, TargetState),
        runs=stamped(entries, MeasuringRun),
        verdicts=stamped(entries, Verdict),
        ends=stamped(entries, RunEnd),
        acceptances=stamped(entries, Acceptance),
        parked=stamped(entries, Parked),
        not_applied=stamped(entries, NotApplied),
        pages=stamped(entries, ImportedPage),
        kernel_runs=stamped(entries, KernelRun),
        kernel_verdicts=stamped(entries, KernelVerdict),
        references=stamped(entries, Reference),
        tickets=stamped(entries, Ticket),
        deployments=stamped(entries, Deployment),
        watches=stamped(entries, Watch),
        rollbacks=stamped(entries, Rollback),
        marks=(*stamped(entries, Invalidation), *stamped(entries, Supersession)),
        wordless=wordless(entries),
        withheld=len(stamped(entries, Tombstone)),
        doubts=doubtful(ledger, newest),
    )


def stamped(entries: Sequence[Entry], schema: type[P]) -> tuple[Stamped[P], ...]:
    """Every payload of one schema with its entry's stamp."""
    return tuple(stamp(entry, entry.payload) for entry in entries if isinstance(entry.payload, schema))
