"""What the ledger says of calls, kept up by reading on from where reading stopped: what was spent, who has ended.

It writes nothing. A draft is the same books with entries that are not written yet; dropping it undoes them.
"""

from collections import ChainMap
from collections.abc import MutableMapping
from dataclasses import dataclass, field

from committee.review.budget import NOTHING, Use, used, worst_use
from committee.vocabulary.config import CommitteeConfig
from ledger.entries import Arm, Attempt, Brief, Exclusion, Payload, Response, Review, ReviewRun, Verdict
from ledger.store import Ledger

KINDS = tuple(schema.kind for schema in (ReviewRun, Attempt, Response, Review, Exclusion, Brief))
COMPLETE = "complete"
WORKSPACE = ""  # the key of what all proposals spent together; a proposal's id is never empty


@dataclass(frozen=True)
class Asked:
    """An attempt as far as the books need it."""

    proposal: str
    reviewer: str
    worst: Use


@dataclass
class Books:
    """Everything counted up to entry `seq`."""

    config: CommitteeConfig
    seq: int = 0
    proposals: MutableMapping[str, str] = field(default_factory=dict)  # review run: proposal
    asked: MutableMapping[str, Asked] = field(default_factory=dict)  # attempt without an answer yet, by id
    spent: MutableMapping[str, Use] = field(default_factory=dict)  # by proposal, and of the workspace; calls on the way
    tried: MutableMapping[str, int] = field(default_factory=dict)  # attempts of a seat
    ends: MutableMapping[str, str] = field(default_factory=dict)  # a seat: complete, or why it was left out
    briefs: MutableMapping[str, str] = field(default_factory=dict)  # review run whose brief is on record: proposal
    changes: int = 0  # how often something was written that earlier verdicts on arms may hang on

    def catch_up(self, ledger: Ledger) -> None:
        """Read what was written since. Raises LedgerError."""
        head = ledger.head()
        if head is None or head.seq == self.seq:
            return
        self.changes += 1  # by others: of whatever kind
        for entry in ledger.entries(*KINDS, after=self.seq):
            self.take(entry.payload)
            self.seq = entry.seq
        self.seq = max(self.seq, head.seq)

    def draft(self) -> "Books":
        """Books to write in pencil: these are not changed by it."""
        return Books(
            self.config,
            self.seq,
            ChainMap({}, self.proposals),
            ChainMap({}, self.asked),
            ChainMap({}, self.spent),
            ChainMap({}, self.tried),
            ChainMap({}, self.ends),
            ChainMap({}, self.briefs),
        )

    def take(self, payload: Payload) -> None:
        """Count one entry; a kind that is none of ours counts nothing."""
        if isinstance(payload, ReviewRun):
            self.proposals[payload.run] = payload.proposal
        elif isinstance(payload, Attempt):
            self._attempted(payload)
        elif isinstance(payload, Response):
            self._answered(payload)
        elif isinstance(payload, Review):
            self.ends[seat_of(payload.run, payload.reviewer)] = COMPLETE
        elif isinstance(payload, Exclusion):
            self.ends[seat_of(payload.run, payload.reviewer)] = payload.reason
        elif isinstance(payload, Brief):
            self.briefs[payload.run] = payload.proposal
        elif isinstance(payload, (Arm, Verdict)):
            self.changes += 1

    def ended(self, run: str, reviewer: str) -> str | None:
        """How a seat ended, none while it has not."""
        return self.ends.get(seat_of(run, reviewer))

    def attempts(self, run: str, reviewer: str) -> int:
        """How many attempts of a seat are on record."""
        return self.tried.get(seat_of(run, reviewer), 0)

    def spent_on(self, proposal: str = WORKSPACE) -> Use:
        """What the calls of a proposal, or of the whole workspace, used; at their worst where no answer says so."""
        return self.spent.get(proposal, NOTHING)

    def _attempted(self, attempt: Attempt) -> None:
        worst = worst_use(self.config, attempt.reviewer, attempt.prompt.size)
        proposal = self.proposals.get(attempt.run, "?")
        self.asked[attempt.attempt] = Asked(proposal, attempt.reviewer, worst)
        seat = seat_of(attempt.run, attempt.reviewer)
        self.tried[seat] = self.tried.get(seat, 0) + 1
        self._spend(proposal, worst)

    def _answered(self, response: Response) -> None:
        asked = self.asked.get(response.attempt)
        if asked is None or asked.worst is NOTHING:
            return
        self._spend(asked.proposal, used(response, asked.worst) - asked.worst)
        self.asked[response.attempt] = Asked(asked.proposal, asked.reviewer, NOTHING)

    def _spend(self, proposal: str, use: Use) -> None:
        for key in (proposal, WORKSPACE):
            self.spent[key] = self.spent.get(key, NOTHING) + use


def seat_of(run: str, reviewer: str) -> str:
    """The key of one reviewer in one run."""
    return f"{run}/{reviewer}"
