"""A person goes back to the baseline before the one that is in force."""

from typing import ClassVar

from pydantic import Field

from ledger.entries.base import Payload, Sha256


class Rollback(Payload):
    """From now on the earlier acceptance is in force again; the later one stays on record."""

    kind: ClassVar[str] = "rollback"

    target: str = Field(description="the target's name")
    leaves: Sha256 = Field(description="entry hash of the acceptance that was in force")
    back_to: Sha256 | None = Field(
        description="entry hash of the acceptance in force now, none for the person's own file"
    )
    reason: str = Field(min_length=1, description="why, in a person's words")
    person: str = Field(description="who decided")
