"""One start of the server for one arm: the unit of replication."""

from typing import ClassVar, Literal

from pydantic import Field

from ledger.entries.base import BlobRef, Part, Payload, RunId, Sha256


class ChangedFile(Part):
    """A file that was another one during this launch."""

    kind: str = Field(description="model, copy, put (in a copy) or in-place")
    path: str = Field(description="production's file, or the model")
    made: str = Field(description="what the launch used")
    before_sha256: Sha256 | None = Field(description="hash of production's file, none for a model")
    after_sha256: Sha256 | None = Field(description="hash of what the launch used, none for a model")
    said: str = Field(description="what a model's own header says, else empty")


class BuiltFile(Part):
    """A file that was built on the host for the arm of this launch."""

    argv: tuple[str, ...] = Field(description="the command as the arm gives it")
    cwd: str = Field(description="where it ran")
    output: str = Field(description="the file it made")
    sha256: Sha256 = Field(description="that file's hash")
    confined: str = Field(description="how it was shut in: bwrap, nobody, no_network or unconfined")
    seconds: float = Field(ge=0, description="how long it took, seconds")
    log: BlobRef = Field(description="what it wrote")


class Launch(Payload):
    """What was started and how it ended. A launch whose gates did not hold carries no numbers."""

    kind: ClassVar[str] = "launch"

    launch: str = Field(description="id: run, block and position; a repeated block gets a new try number")
    run: RunId = Field(description="the measuring run")
    target: str = Field(description="the target's name")
    block: int = Field(ge=0, description="block number, from 0")
    attempt: int = Field(ge=1, description="1 for the first try of the block; a broken block is repeated whole")
    position: int = Field(ge=0, description="place inside the block, from 0")
    role: Literal["baseline", "placebo", "arm"] = Field(description="what the launch stands for")
    arm: Sha256 | None = Field(description="the arm's fingerprint, none for baseline and placebo")
    argv: tuple[str, ...] = Field(description="the command as started")
    env: tuple[tuple[str, str | None], ...] = Field(description="environment: allowed values, others by name with none")
    pid: int | None = Field(description="process id, none if it could not be started")
    start_time: int | None = Field(description="the process's start time in clock ticks since boot")
    ready_s: float | None = Field(description="seconds from start to the ready line in its own log, none if never")
    log: BlobRef | None = Field(description="the server's own log, none if there was none")
    outcome: Literal["ran", "invalid"] = Field(description="whether the launch may carry numbers")
    reason: str | None = Field(description="reason code when invalid, else none")
    detail: str = Field(description="the engine's own words or one sentence, empty when it ran")
    took_s: float | None = Field(default=None, ge=0, description="seconds from start to free memory, none if not kept")
    files: tuple[ChangedFile, ...] = Field(default=(), description="files that were changed for this launch")
    undone: tuple[str, ...] = Field(
        default=(), description="what was not as it should be when they were changed back; empty when all was"
    )
    built: BuiltFile | None = Field(default=None, description="what was built for its arm, none where nothing was")
