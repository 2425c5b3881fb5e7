"""Whether a reviewer is asked once more, from what became of the attempts so far. Pure.

Once more where the outcome of one attempt is unknown (the committee was stopped while the answer was on its way), and
once more where the server failed or the connection broke: each time as an attempt of its own, with its own intent, its
own nonce and its own place in the budget. So the number of calls is bounded, and a run that was stopped once comes to
the same end as one that was not.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from committee.review.received import Accepted, Excluded
from committee.vocabulary.exclusion import Reason
from ledger.entries import Attempt

MAX_UNKNOWN = 2  # attempts whose outcome nobody knows
MAX_FAILED = 2  # attempts that ended in one of FAILED
FAILED = frozenset({Reason.SERVER_ERROR, Reason.CONNECTION_FAILED})  # may be over in a moment, and may have been paid
WAIT_S = 1.0  # before asking a server again that failed; its Retry-After may ask for more


@dataclass(frozen=True)
class Tried:
    """One attempt and what became of it."""

    attempt: Attempt
    outcome: Accepted | Excluded | None = None  # none: unknown
    elapsed_s: float = 0.0
    asked_to_wait_s: float = 0.0  # the server's Retry-After, where it is still known
    went_out: bool = True  # whether the server may have seen the request

    @property
    def failed(self) -> bool:
        """Whether it ended in a way that may be over in a moment."""
        return isinstance(self.outcome, Excluded) and self.outcome.reason in FAILED and self.went_out


@dataclass(frozen=True)
class Ask:
    """One more attempt."""

    wait_s: float  # before it
    used_s: float  # of the wall clock, by attempts that failed


def next_step(tried: Sequence[Tried], timeout_s: float) -> Accepted | Excluded | Ask:
    """The end of this reviewer, or one more attempt. `timeout_s` is the wall clock that its attempts share."""
    if not tried:
        return Ask(0.0, 0.0)
    last, outcome = tried[-1], tried[-1].outcome
    if outcome is None:
        unknown = sum(one.outcome is None for one in tried)
        return Ask(0.0, 0.0) if unknown < MAX_UNKNOWN else Excluded(Reason.OUTCOME_UNKNOWN, _nobody_knows(unknown))
    failed = [one for one in tried if one.failed]
    if not last.failed or len(failed) >= MAX_FAILED:
        return outcome
    wait_s = max(WAIT_S, last.asked_to_wait_s)
    used_s = sum(one.elapsed_s for one in failed) + wait_s
    return Ask(wait_s, used_s) if used_s < timeout_s else outcome


def _nobody_knows(times: int) -> str:
    return f"stopped {times} times while the answer was on its way; nobody knows whether it came"
