"""An answer as it was recorded, ready for the border again: for a run that goes on, and for one that is replayed."""

from collections.abc import Mapping

from committee.review.received import Received, Wire
from committee.vocabulary.exclusion import Reason
from ledger.entries import Attempt, Response
from ledger.store import Ledger

RAW_TYPES: Mapping[Wire, str] = {"openai": "application/json", "command": "text/plain"}


def stored(ledger: Ledger, attempt: Attempt) -> Received | None:
    """What came back from an attempt, none while its outcome is unknown."""
    found = ledger.of(Response, attempt=attempt.attempt)
    if not found:
        return None
    response = found[-1][1]
    return Received(
        wire="command" if response.raw.media_type == RAW_TYPES["command"] else "openai",
        raw=ledger.read_blob(response.raw.sha256),
        failure=Reason(response.failure) if response.failure else None,
        detail=response.detail,
        elapsed_s=response.elapsed_s,
        sent=response.sent,
    )
