"""One change against a target's baseline that may be measured."""

from typing import Any, ClassVar

from pydantic import Field

from ledger.entries.base import Payload, Sha256


class Arm(Payload):
    """The arm as it was admitted: change, witness and where it came from."""

    kind: ClassVar[str] = "arm"

    fingerprint: Sha256 = Field(description="hash of the normalised change alone, without name or witness")
    name: str = Field(description="short name for people")
    target: str = Field(description="the target it changes")
    proposal: str | None = Field(description="the proposal it belongs to, none for an arm measured alone")
    definition: dict[str, Any] = Field(description="the whole arm as admitted")
    origins: tuple[str, ...] = Field(description="author, or ids of the hypotheses that named it")
    approved_by: str | None = Field(
        default=None, description="the person who said yes to an arm that is code, none where none was needed"
    )
