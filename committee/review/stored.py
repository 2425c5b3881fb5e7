"""An answer as it was recorded, ready for the border again: for a run that goes on, and for one that is replayed."""

from committee.review.received import Received
from committee.vocabulary.exclusion import Reason
from ledger.entries import Attempt, Response, ReviewerSeat
from ledger.store import Ledger


def stored(ledger: Ledger, attempt: Attempt, seat: ReviewerSeat) -> Received | None:
    """What came back from an attempt, none while its outcome is unknown."""
    found = ledger.of(Response, attempt=attempt.attempt)
    if not found:
        return None
    response = found[-1][1]
    return Received(
        wire="command" if seat.reviewer_kind == "command" else "openai",
        raw=ledger.read_blob(response.raw.sha256),
        failure=Reason(response.failure) if response.failure else None,
        detail=response.detail,
        elapsed_s=response.elapsed_s,
        sent=response.sent,
    )
