"""A person says that something on record must not be believed: an entry, or a fact that many entries share."""

from typing import ClassVar, Self

from pydantic import Field, model_validator

from ledger.entries.base import Payload, Sha256


class Invalidation(Payload):
    """Strikes one entry or one fact. Nothing is removed; what rests on it is open again."""

    kind: ClassVar[str] = "invalidation"

    subject: Sha256 | None = Field(description="entry hash of what is not believed any more, none for a fact")
    fact: str | None = Field(description="a shared fact as `name=value`, for example harness_version=0.1.0, else none")
    reason: str = Field(min_length=1, description="why, in a person's words")
    person: str = Field(description="who decided")

    @model_validator(mode="after")
    def _one_subject(self) -> Self:
        if (self.subject is None) == (self.fact is None):
            raise ValueError("an invalidation strikes either an entry or a fact")
        return self
