"""What was seen of a target's production server at one moment."""

from typing import ClassVar, Literal

from pydantic import Field

from ledger.entries.base import Payload


class TargetState(Payload):
    """Written whenever production is taken down, brought back, or found in some state."""

    kind: ClassVar[str] = "target_state"

    target: str = Field(description="the target's name")
    state: Literal["up", "down", "taken_down", "restored", "restore_failed"] = Field(
        description="what was seen or done"
    )
    by: str = Field(description="who did or saw it: harness, guardian, or a person's command")
    run: str | None = Field(description="the measuring run during which it happened, none outside a run")
    pid: int | None = Field(description="process id of the production server, none if it is down")
    start_time: int | None = Field(description="that process's start time in clock ticks since boot")
    url: str | None = Field(description="base address of its API, none if it is down")
    accepted: str | None = Field(
        default=None,
        description="fingerprint of the newest accepted arm with whose settings it was started; empty: started as the "
        "target's file alone says; none: not compared",
    )
    evidence: str = Field(description="line of the server's own log, or the sentence that explains the state")
