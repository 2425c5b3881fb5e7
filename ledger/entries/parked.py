"""Something was deliberately not sent out or not followed (lesson C5)."""

from typing import ClassVar

from pydantic import Field

from ledger.entries.base import Payload


class Parked(Payload):
    """What is not understood is recorded as not understood, without guessing on (lesson R4)."""

    kind: ClassVar[str] = "parked"

    subject: str = Field(description="what is parked")
    proposal: str | None = Field(description="the proposal it came up in, if any")
    reason: str = Field(description="why it is parked, in a person's words")
    person: str = Field(description="who parked it")
