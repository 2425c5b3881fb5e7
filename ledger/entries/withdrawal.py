"""A person takes back the yes to an arm that is code: it is not measured any more."""

from typing import ClassVar

from pydantic import Field

from ledger.entries.base import Payload, Sha256


class Withdrawal(Payload):
    """From now on the arm needs a new yes; what was measured before stays on record."""

    kind: ClassVar[str] = "withdrawal"

    approval: Sha256 = Field(description="entry hash of the arm with the newest yes")
    fingerprint: Sha256 = Field(description="the arm's fingerprint")
    arm_name: str = Field(description="the arm's name")
    proposal: str | None = Field(description="the proposal in which it was approved, none for an arm measured alone")
    reason: str = Field(min_length=1, description="why, in a person's words")
    person: str = Field(description="who takes it back")
