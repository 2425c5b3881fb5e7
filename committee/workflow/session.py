"""What the runs of one command share: the scribe, the lines, and what was read of revisions and targets once."""

import gc
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import TypeVar

from committee.fuse.fuse import fuse
from committee.fuse.fused import Fused
from committee.proposals.record import read_back
from committee.review.ask import Shared, Sitting
from committee.review.books import Books
from committee.review.budget import Allowance
from committee.review.lines import lines
from committee.review.room import kept_room
from committee.review.rounds import round_run
from committee.review.scribe import scribe_at
from committee.vocabulary.proposal import FrozenRevision, LoadedProposal
from committee.workflow.desk import Desk
from committee.workflow.frozen import Verdicts, loaded, review_run, subject_of, verdicts_of
from committee.workflow.rounds import RoundEnd, recorded
from ledger.entries import ReviewRun

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
        self._ended: dict[str, RoundEnd] = {}
        self._fused: dict[str, Fused] = {}
        self._verdicts: dict[str, Verdicts] = {}
        self._verdicts_after = 0  # changes of the books when they were read

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
            subject = subject_of(self.revision(proposal, tree), known, target, self._verdicts_on(target.name))
            allowance = Allowance("the proposal's", known.header.budget.money, known.header.budget.tokens)
            _keep(self._sittings, run, Sitting(self.shared, run, subject, allowance))
        return self._sittings[run]

    def ended(self, run: str) -> RoundEnd:
        """How the first round of a run whose reviewers have all ended came out, read once."""
        if run not in self._ended:
            _keep(self._ended, run, recorded(self.desk.ledger, run))
        return self._ended[run]

    def first_round(self, run: str, proposal: str, tree: str) -> Fused:
        """The hypotheses of the first round alone, fused: what a second look shows."""
        return fuse(self.ended(run).told, self.proposal(proposal, tree).arms)

    def fused(self, begun: ReviewRun) -> Fused:
        """The hypotheses of a run and of its second look, whose reviewers have all ended, fused once."""
        if begun.run not in self._fused:
            told = list(self.ended(begun.run).told)
            if begun.second_look:
                told += recorded(self.desk.ledger, round_run("second_look", begun.run)).told
            _keep(self._fused, begun.run, fuse(told, self.proposal(begun.proposal, begun.tree).arms))
        return self._fused[begun.run]

    def _verdicts_on(self, target: str) -> Verdicts:
        """Read once for many proposals, and again when the ledger was written by somebody else."""
        changes = self.shared.scribe.books.changes
        if changes != self._verdicts_after:
            self._verdicts.clear()
            self._verdicts_after = changes
        if target not in self._verdicts:
            _keep(self._verdicts, target, verdicts_of(self.desk.ledger, target))
        return self._verdicts[target]


def _keep(kept: dict[str, Kept], key: str, value: Kept) -> None:
    while len(kept) >= KEPT:
        kept.pop(next(iter(kept)))
    kept[key] = value


@contextmanager
def _not_looked_through() -> Iterator[None]:
    """What stands when a command begins, most of it libraries, is not looked through again by the collector."""
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


@asynccontextmanager
async def session(desk: Desk) -> AsyncIterator[Session]:
    """Open for the length of one command; everything is on disk when it ends."""
    at_once = desk.config.review.calls_per_endpoint
    with desk.ledger.kept_open(), _not_looked_through(), kept_room(desk.checkpoints.parent) as room:
        async with lines(at_once) as shared_lines, scribe_at(desk.ledger, Books(desk.config)) as scribe:
            shared = Shared(desk.ledger, desk.config, desk.edge, scribe, shared_lines, watch=desk.watch, room=room)
            yield Session(desk, shared)
