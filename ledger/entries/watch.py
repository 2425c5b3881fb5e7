"""An accepted arm was measured again against the baseline before it, to see whether the acceptance still holds."""

from typing import ClassVar, Literal

from pydantic import Field

from ledger.entries.base import Payload, RunId, Sha256
from ledger.entries.verdict import Interval


class Watch(Payload):
    """Overturned only by a verdict that contradicts; what is merely not confirmed again says so and is held."""

    kind: ClassVar[str] = "watch"

    acceptance: Sha256 = Field(description="entry hash of the acceptance")
    target: str = Field(description="the target's name")
    arm: Sha256 = Field(description="the accepted arm's fingerprint")
    arm_name: str = Field(description="the arm's short name")
    run: RunId = Field(description="the measuring run that looked again")
    verdict: Sha256 = Field(description="entry hash of that run's primary verdict on the arm")
    metric: str = Field(description="name of the primary metric")
    load: int = Field(ge=1, description="number of users at once")
    accepted: Interval | None = Field(description="the change that was accepted, none where it had no number")
    seen: Interval | None = Field(description="the change now, none where no number may exist")
    outcome: Literal["held", "overturned"] = Field(description="what it means for the acceptance")
    detail: str = Field(description="one sentence")
