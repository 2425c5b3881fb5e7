"""What the runs of one command share: the scribe, the lines, and what was read of revisions and targets once."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TypeVar

from committee.proposals.record import header_of, read_back
from committee.review.ask import Shared, Sitting
from committee.review.books import Books
from committee.review.budget import Allowance
from committee.review.lines import lines
from committee.review.scribe import scribe_at
from committee.vocabulary.proposal import FrozenRevision, LoadedProposal, ProposalHeader
from committee.workflow.desk import Desk
from committee.workflow.frozen import loaded, subject_of
from harness.vocabulary.target import Target

Kept = TypeVar("Kept")
KEPT = 64  # revisions and sittings held at once: more than the runs that are under way at one time


class Session:
    """One for a command. What it keeps of a run is what the ledger holds of it, so dropping it changes nothing."""

    def __init__(self, desk: Desk, shared: Shared) -> None:
        self.desk, self.shared = desk, shared
        self._revisions: dict[str, FrozenRevision] = {}
        self._loaded: dict[str, LoadedProposal] = {}
        self._sittings: dict[str, Sitting] = {}

    def revision(self, proposal: str, tree: str) -> FrozenRevision:
        """A stored revision, read once."""
        key = f"{proposal}/{tree}"
        if key not in self._revisions:
            _keep(self._revisions, key, read_back(self.desk.ledger, proposal, tree))
        return self._revisions[key]

    def proposal(self, proposal: str, tree: str) -> LoadedProposal:
        """The revision's header, criteria and arms, read once. Raises BadFileError."""
        key = f"{proposal}/{tree}"
        if key not in self._loaded:
            _keep(self._loaded, key, loaded(self.revision(proposal, tree)))
        return self._loaded[key]

    def header(self, proposal: str, tree: str) -> ProposalHeader:
        """The header as it stands in the revision."""
        return header_of(self.revision(proposal, tree))

    def target(self, proposal: str, tree: str) -> Target:
        """The proposal's target as its file says now."""
        return self.desk.target_of(self.header(proposal, tree).target)[0]

    def sitting(self, run: str, proposal: str, tree: str) -> Sitting:
        """The run as its branches need it: the same subject for every reviewer."""
        if run not in self._sittings:
            subject = subject_of(self.desk.ledger, self.revision(proposal, tree), self.target(proposal, tree))
            budget = self.header(proposal, tree).budget
            allowance = Allowance("the proposal's", budget.money, budget.tokens)
            _keep(self._sittings, run, Sitting(self.shared, run, subject, allowance))
        return self._sittings[run]


def _keep(kept: dict[str, Kept], key: str, value: Kept) -> None:
    while len(kept) >= KEPT:
        kept.pop(next(iter(kept)))
    kept[key] = value


@asynccontextmanager
async def session(desk: Desk) -> AsyncIterator[Session]:
    """Open for the length of one command; everything is on disk when it ends."""
    at_once = desk.config.review.calls_per_endpoint
    async with lines(at_once) as shared_lines, scribe_at(desk.ledger, Books(desk.config)) as scribe:
        yield Session(desk, Shared(desk.ledger, desk.config, desk.edge, scribe, shared_lines, watch=desk.watch))
