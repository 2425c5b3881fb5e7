"""A complete, valid review."""

from typing import ClassVar

from pydantic import Field

from ledger.entries.base import Payload, RunId


class Review(Payload):
    """The call finished, parsed, repeated its nonce and counted its own hypotheses rightly."""

    kind: ClassVar[str] = "review"

    run: RunId = Field(description="the review run")
    attempt: str = Field(description="the attempt whose response this is made of")
    reviewer: str = Field(description="the reviewer's name")
    label: str = Field(description="what the reviewer is: live, recorded, or small CPU model")
    hypotheses: int = Field(ge=0, description="number of hypotheses in the review")
