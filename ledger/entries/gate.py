"""One check that must hold before a number may exist."""

from typing import ClassVar

from pydantic import Field

from ledger.entries.base import BlobRef, Payload, RunId, Sha256


class Gate(Payload):
    """The outcome of one gate on one launch."""

    kind: ClassVar[str] = "gate"

    launch: str = Field(description="the launch it was checked on")
    run: RunId = Field(description="the measuring run")
    gate: str = Field(description="the gate's name")
    passed: bool = Field(description="whether the check held")
    reason: str | None = Field(description="reason code when it did not hold, else none")
    evidence: str = Field(description="what was seen, in one line")
    about: tuple[Sha256, ...] = Field(default=(), description="fingerprints of the arms that the reason concerns")
    texts: BlobRef | None = Field(default=None, description="generated texts, for gates that read them")
    seen: BlobRef | None = Field(
        default=None, description="what runs, as JSON: processes, environment by allow-list, objects by hash, settings"
    )
