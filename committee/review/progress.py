"""What a person watching a review sees. Values only; showing them is the command line's business."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum


class SeatState(StrEnum):
    """Where one reviewer stands."""

    ASKED = "asked"  # the request is on its way
    ANSWERED = "answered"  # the raw answer is in the ledger
    COMPLETE = "complete"  # a complete review
    EXCLUDED = "excluded"  # left out whole


@dataclass(frozen=True)
class ReviewerEvent:
    """One reviewer changed state."""

    reviewer: str
    state: SeatState
    detail: str = ""  # excluded: reason and sentence


Watch = Callable[[ReviewerEvent], None]


def unwatched(_event: ReviewerEvent) -> None:
    """For callers that show nothing."""
