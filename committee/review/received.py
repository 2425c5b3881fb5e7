"""What a call brought back, before anything is made of it. Values only."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from committee.vocabulary.exclusion import Reason
from committee.vocabulary.review import ReviewAnswer

Wire = Literal["openai", "command"]


@dataclass(frozen=True)
class Received:
    """The raw answer as it came, or as much of it as came, and what went wrong on the way."""

    wire: Wire  # openai: an HTTP body; command: standard output
    raw: bytes
    failure: Reason | None = None  # why the call itself failed, none if it ended normally
    detail: str = ""  # one sentence of our own words about the failure, never the other side's text
    elapsed_s: float = 0.0  # wall-clock time of the whole call
    asked_to_wait_s: float = 0.0  # the server's Retry-After with a failure
    held_to: str = ""  # openai: the format that the answered request was held to, which may be less than was asked
    sent: int = 1  # how often it went out: 0 never, more than 1 after refusals that cost nothing


@dataclass(frozen=True)
class Expected:
    """What a complete answer to one attempt must repeat and may cite."""

    nonce: str
    proposal: str
    files: Mapping[str, bytes]  # path: content


@dataclass(frozen=True)
class Accepted:
    """A complete, valid review."""

    answer: ReviewAnswer


@dataclass(frozen=True)
class Excluded:
    """The review is left out whole. `detail` is in our own words: an excluded answer's text goes nowhere."""

    reason: Reason
    detail: str
