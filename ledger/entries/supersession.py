"""A person says that a conclusion on record is replaced by a later one, or by nothing yet."""

from typing import ClassVar

from pydantic import Field

from ledger.entries.base import Payload, Sha256


class Supersession(Payload):
    """Marks one entry as replaced. It stays readable; what rests on it is open again."""

    kind: ClassVar[str] = "supersession"

    subject: Sha256 = Field(description="entry hash of what is replaced")
    by: Sha256 | None = Field(description="entry hash of what replaces it, none when nothing does yet")
    reason: str = Field(min_length=1, description="why, in a person's words")
    person: str = Field(description="who decided")
