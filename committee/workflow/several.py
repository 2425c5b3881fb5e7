"""Many proposals' reviews in one go, over shared lines and one scribe. One that fails stops no other."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from committee.workflow.desk import Desk
from committee.workflow.graph import RunResult, begin, opened
from committee.workflow.state import Stage
from harness.vocabulary.base import BadFileError
from ledger.store import LedgerError

RUNS_AT_ONCE = 16  # keeps several endpoints busy; memory grows with runs under way, not with proposals


@dataclass(frozen=True)
class Outcome:
    """How one proposal's review ended."""

    proposal: str
    run: RunResult | None  # none where nothing was begun
    sentence: str = ""  # why it did not come as far as was asked

    @property
    def good(self) -> bool:
        """Whether it came as far as was asked."""
        return not self.sentence


def unheard(_outcome: Outcome) -> None:
    """For callers that show nothing."""


async def start_all(
    desk: Desk, proposals: Sequence[str], upto: Stage = Stage.BRIEF, tell: Callable[[Outcome], None] = unheard
) -> tuple[Outcome, ...]:
    """Begin a run of each, at most RUNS_AT_ONCE under way; their outcomes in the order given, told as they come.

    A fault of ours is raised when the others are through.
    """
    places = asyncio.Semaphore(RUNS_AT_ONCE)
    async with opened(desk) as graph:

        async def one(proposal: str) -> Outcome:
            async with places:
                try:
                    result = await begin(desk, graph, proposal, upto)
                    outcome = Outcome(proposal, result, result.ended)
                except (BadFileError, LedgerError) as error:
                    outcome = Outcome(proposal, None, str(error))
            tell(outcome)
            return outcome

        ended = await asyncio.gather(*(one(proposal) for proposal in proposals), return_exceptions=True)
    for fault in ended:
        if isinstance(fault, BaseException):
            raise fault
    return tuple(outcome for outcome in ended if isinstance(outcome, Outcome))
