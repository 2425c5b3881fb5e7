"""What the runs of one command share: the scribe, the lines, and what was read of revisions and targets once."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TypeVar

from committee.fuse.fuse import fuse
from committee.fuse.fused import Fused
from committee.proposals.record import read_back
from committee.review.ask import Shared, Sitting
from committee.review.books import Books
from committee.review.budget import Allowance
from committee.review.lines import lines
from committee.review.scribe import scribe_at
from committee.vocabulary.proposal import FrozenRevision, LoadedProposal
from committee.workflow.desk import Desk
from committee.workflow.frozen import loaded, review_run, subject_of
from committee.workflow.rounds import told_in
from ledger.entries import Hypothesis, ReviewRun

Kept = TypeVar("Kept")
KEPT = 64  # revisions and sittings held at once: more than the runs that are under way at one time


class Session:
    """One for a command. What it keeps of a run is what the ledger holds of it, so dropping it changes nothing."""

    def __init__(self, desk: Desk, shared: Shared) -> None:
        self.desk, self.shared = desk, shared
        self._revisions: dict[str, FrozenRevision] = {}
        self._loaded: dict[str, LoadedProposal] = {}
        self._sittings: dict[str, Sitting] = {}
        self._begun: dict[str, ReviewRun] = {}
        self._fused: dict[str, Fused] = {}

    def begun(self, run: str) -> ReviewRun | None:
        """The run's beginning, once it is on record."""
        if run not in self.shared.scribe.books.proposals:
            return None
        if run not in self._begun:
            found = review_run(self.desk.ledger, run)
            if found is None:
                return None
            _keep(self._begun, run, found)
        return self._begun[run]

    def hold_begun(self, begun: ReviewRun) -> None:
        """A beginning that was just recorded need not be read back."""
        _keep(self._begun, begun.run, begun)

    def hold(self, revision: FrozenRevision) -> None:
        """A revision that is at hand need not be read back."""
        _keep(self._revisions, f"{revision.proposal}/{revision.tree}", revision)

    def revision(self, proposal: str, tree: str) -> FrozenRevision:
        """A stored revision, read once."""
        key = f"{proposal}/{tree}"
        if key not in self._revisions:
            self.hold(read_back(self.desk.ledger, proposal, tree))
        return self._revisions[key]

    def proposal(self, proposal: str, tree: str) -> LoadedProposal:
        """The revision's header, criteria and arms, read once. Raises BadFileError."""
        key = f"{proposal}/{tree}"
        if key not in self._loaded:
            _keep(self._loaded, key, loaded(self.revision(proposal, tree)))
        return self._loaded[key]

    def sitting(self, run: str, proposal: str, tree: str) -> Sitting:
        """The run as its branches need it: the same subject for every reviewer, the target as its file says now."""
        if run not in self._sittings:
            known = self.proposal(proposal, tree)
            target, _ = self.desk.target_of(known.header.target)
            subject = subject_of(self.desk.ledger, self.revision(proposal, tree), known, target)
            allowance = Allowance("the proposal's", known.header.budget.money, known.header.budget.tokens)
            _keep(self._sittings, run, Sitting(self.shared, run, subject, allowance))
        return self._sittings[run]

    def first_round(self, run: str, proposal: str, tree: str) -> Fused:
        """The hypotheses of the first round alone, fused: what a second look shows."""
        told = [hypothesis for _, hypothesis in self.desk.ledger.of(Hypothesis, run=run)]
        return fuse(told, self.proposal(proposal, tree).arms)

    def fused(self, run: str, proposal: str, tree: str) -> Fused:
        """The hypotheses of a run whose reviewers have all ended, fused once."""
        if run not in self._fused:
            told = told_in(self.desk.ledger, run)
            _keep(self._fused, run, fuse(told, self.proposal(proposal, tree).arms))
        return self._fused[run]


def _keep(kept: dict[str, Kept], key: str, value: Kept) -> None:
    while len(kept) >= KEPT:
        kept.pop(next(iter(kept)))
    kept[key] = value


@asynccontextmanager
async def session(desk: Desk) -> AsyncIterator[Session]:
    """Open for the length of one command; everything is on disk when it ends."""
    at_once = desk.config.review.calls_per_endpoint
    with desk.ledger.kept_open():
        async with lines(at_once) as shared_lines, scribe_at(desk.ledger, Books(desk.config)) as scribe:
            yield Session(desk, Shared(desk.ledger, desk.config, desk.edge, scribe, shared_lines, watch=desk.watch))
