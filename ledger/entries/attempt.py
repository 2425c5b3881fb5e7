"""The intent to send one request to one reviewer, committed before it is sent."""

from typing import ClassVar

from pydantic import Field

from ledger.entries.base import BlobRef, Payload, RunId


class Attempt(Payload):
    """An attempt without a response is one whose outcome is unknown."""

    kind: ClassVar[str] = "attempt"

    attempt: str = Field(description="id of the attempt: run, reviewer and number")
    run: RunId = Field(description="the review run")
    reviewer: str = Field(description="the reviewer's name")
    number: int = Field(ge=1, description="1 for the first attempt of this reviewer in this run")
    prompt: BlobRef = Field(description="the exact bytes that are sent as the prompt")
    nonce: str = Field(description="random word that a complete answer must repeat")
