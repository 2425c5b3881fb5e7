"""A measuring run ended: completed, void, or stopped."""

from typing import ClassVar, Literal

from pydantic import Field

from ledger.entries.base import Payload, RunId


class RunEnd(Payload):
    """A void run keeps its launches and trials and supports no verdict."""

    kind: ClassVar[str] = "run_end"

    run: RunId = Field(description="the measuring run")
    outcome: Literal["completed", "void", "stopped"] = Field(description="how it ended")
    reason: str | None = Field(description="reason code when void or stopped, else none")
    detail: str = Field(description="one sentence")
    downtime_s: float = Field(ge=0, description="measured time without production, seconds")
    notes: tuple[str, ...] = Field(default=(), description="screen, looks, order and drift, one sentence each")
