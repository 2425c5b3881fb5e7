"""An arm that was measured and deliberately not applied (lesson R4)."""

from typing import ClassVar

from pydantic import Field

from ledger.entries.base import Payload, RunId, Sha256


class NotApplied(Payload):
    """Says that a result is known and that production does not have it."""

    kind: ClassVar[str] = "not_applied"

    arm: Sha256 = Field(description="the arm's fingerprint")
    arm_name: str = Field(description="the arm's short name")
    target: str = Field(description="the target it was measured on")
    run: RunId = Field(description="the measuring run")
    reason: str = Field(description="why it is not applied, in a person's words")
    person: str = Field(description="who decided")
