"""What was withheld, by whom and why: the only way in which content leaves a ledger. The chain stays whole."""

from typing import ClassVar, Self

from pydantic import Field, model_validator

from ledger.entries.base import Part, Payload, RunId, Sha256
from ledger.entries.hypothesis import Prediction


class KeptPrediction(Part):
    """What stays of a withheld hypothesis: names and numbers that count, none of its words."""

    entry: Sha256 = Field(description="id of the hypothesis' entry")
    hypothesis: str = Field(description="its id: run, reviewer and number")
    run: RunId = Field(description="the review run")
    reviewer: str = Field(description="the reviewer's name")
    prediction: Prediction = Field(description="the effect claimed")
    prediction_sha256: Sha256 = Field(description="the hash under which it was fixed before anything was measured")
    arm_fingerprint: Sha256 | None = Field(description="fingerprint of its arm's change, none without a usable arm")


class Tombstone(Payload):
    """Payloads and blobs that are no longer here, because they held something that must not be read (a secret)."""

    kind: ClassVar[str] = "tombstone"

    entries: tuple[Sha256, ...] = Field(default=(), description="ids of the entries whose payloads are withheld")
    blobs: tuple[Sha256, ...] = Field(default=(), description="hashes of the blobs whose content is withheld")
    reason: str = Field(min_length=1, description="why, in a person's own words, without the secret")
    person: str = Field(min_length=1, description="who decided")
    predictions: tuple[KeptPrediction, ...] = Field(
        default=(), description="of each withheld hypothesis what counts in its reviewer's score"
    )

    @model_validator(mode="after")
    def _withholds_something(self) -> Self:
        if not self.entries and not self.blobs:
            raise ValueError("a tombstone names at least one entry or blob")
        return self


class Withheld(Payload):
    """What is read where a payload was withheld. Never recorded itself: it is in no registry."""

    kind: ClassVar[str] = "withheld"

    tombstone: int = Field(description="sequence of the tombstone entry")
    reason: str = Field(description="the person's own words")
    person: str = Field(description="who decided")
