"""Why a request's way to a whole answer ended early: a reason code and one sentence."""

from dataclasses import dataclass

from harness.vocabulary.outcome import Reason


@dataclass(frozen=True)
class Failure:
    """The transport's own complaint; each kind of fault has a code of its own."""

    reason: Reason
    said: str
