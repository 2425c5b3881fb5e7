"""A reviewer's part was left out whole."""

from typing import ClassVar

from pydantic import Field

from ledger.entries.base import Payload, RunId


class Exclusion(Payload):
    """Nothing of an excluded review reaches a brief; the raw answer, if there was one, stays a response entry."""

    kind: ClassVar[str] = "exclusion"

    run: RunId = Field(description="the review run")
    attempt: str | None = Field(description="the last attempt, none if nothing was sent")
    reviewer: str = Field(description="the reviewer's name")
    reason: str = Field(description="one reason code from the committee's closed list")
    detail: str = Field(description="one sentence: what happened, where")
