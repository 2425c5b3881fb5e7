"""A root over all entries so far, recorded when the ledger is anchored outside its own file."""

from typing import ClassVar

from pydantic import Field

from ledger.entries.base import Payload, Sha256


class Checkpoint(Payload):
    """The RFC 6962 tree over the first `size` entries, as it was computed then."""

    kind: ClassVar[str] = "checkpoint"

    size: int = Field(ge=1, description="how many entries the tree covers, from the first one on")
    root: Sha256 = Field(description="root hash of the tree over their ids")
    head: Sha256 = Field(description="id of the last entry it covers")
