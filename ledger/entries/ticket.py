"""What an acceptance was bound to when it was made, part by part, so that any change of it can be named later."""

from typing import ClassVar

from pydantic import Field

from ledger.entries.base import Part, Payload, Sha256


class TicketPart(Part):
    """One thing that must not change."""

    name: str = Field(min_length=1, description="what it is, as a sentence names it")
    value: str = Field(description="a hash, a number or words; two that are equal mean that nothing changed")


class Ticket(Payload):
    """Written with the acceptance. Whether it still holds is computed anew each time, never stored."""

    kind: ClassVar[str] = "ticket"

    acceptance: Sha256 = Field(description="entry hash of the acceptance")
    target: str = Field(description="the target it holds for")
    sha256: Sha256 = Field(description="hash over all parts in their order")
    parts: tuple[TicketPart, ...] = Field(min_length=1, description="everything that it binds")
