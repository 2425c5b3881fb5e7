"""The graph's state: plain JSON values and ids. Anything else belongs into the ledger."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, TypedDict


class Stage(StrEnum):
    """The stages in their order; a run can be asked to go up to any of them."""

    FREEZE = "freeze"
    PREFLIGHT = "preflight"
    REVIEW = "review"
    QUORUM = "quorum"
    WITHOUT_COMMENTS = "without_comments"
    SECOND_LOOK = "second_look"
    FUSE = "fuse"
    BRIEF = "brief"
    ARMS = "arms"
    MEASURE = "measure"
    RANK = "rank"
    ACCEPT = "accept"


def merged(one: dict[str, str], other: dict[str, str]) -> dict[str, str]:
    """Outcomes of branches together; the same branch again replaces itself."""
    return {**one, **other}


class State(TypedDict, total=False):
    """What travels between nodes."""

    run: str
    proposal: str
    upto: str
    tree: str
    reviewers: list[str]
    seats: Annotated[dict[str, str], merged]  # reviewer: complete, or the reason of its exclusion
    arms: list[str]
    measuring_run: str
    verdicts: list[str]
    decision: dict[str, str]
    ended: str  # one sentence: why the run stops before its end


class Branch(TypedDict):
    """What one review branch gets."""

    run: str
    proposal: str
    tree: str
    upto: str
    reviewer: str


def new_run(now: datetime, word: str) -> str:
    """A run's id: when it began and a random word, so that two started at once differ."""
    return f"review-{now:%Y%m%d-%H%M%S}-{word}"


def measuring_run(review_run: str) -> str:
    """The id of the one measuring run that belongs to a review run; always the same, so that it can be rejoined."""
    return f"measure-{review_run.removeprefix('review-')}"
