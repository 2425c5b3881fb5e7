"""A measuring run was planned: everything that is fixed before the first launch."""

from typing import Any, ClassVar

from pydantic import Field

from ledger.entries.base import GitTree, Part, Payload, RunId, Sha256


class Slot(Part):
    """One launch that the plan asks for."""

    block: int = Field(ge=0, description="block number, from 0")
    position: int = Field(ge=0, description="place inside the block, from 0, after shuffling")
    role: str = Field(description="baseline, placebo or arm")
    arm: Sha256 | None = Field(description="the arm's fingerprint, none for baseline and placebo")


class Look(Part):
    """One interim look, or the last one: after how many blocks, and the levels that are applied to Student's t."""

    blocks: int = Field(ge=2, description="blocks of the confirmation at this look")
    levels: tuple[float, ...] = Field(
        min_length=1, description="nominal one-sided level of a bound when 1, 2, ... arms share the run's level"
    )
    futility: float | None = Field(
        default=None, description="nominal one-sided level of giving up below the planned gain, none without futility"
    )


class MeasuringRun(Payload):
    """The plan is committed before production is touched; looks and blocks are never changed afterwards."""

    kind: ClassVar[str] = "measuring_run"

    run: RunId = Field(description="the run's id")
    target: str = Field(description="the target's name")
    target_sha256: Sha256 = Field(description="hash of the target file as read")
    proposal: str | None = Field(description="the proposal, none for arms measured alone")
    tree: GitTree | None = Field(description="the revision, none for arms measured alone")
    criteria: dict[str, Any] = Field(description="the criteria as read")
    arms: tuple[Sha256, ...] = Field(description="fingerprints of the arms in the plan")
    seed: int = Field(ge=0, description="seed of the shuffling")
    blocks: int = Field(ge=1, description="number of blocks, fixed")
    slots: tuple[Slot, ...] = Field(description="every launch in order")
    target_model_sha256: Sha256 | None = Field(
        default=None, description="hash of the target as it is launched, accepted baseline included; none if not kept"
    )
    downtime_s: float = Field(ge=0, description="expected time without production, seconds")
    harness_version: str = Field(description="version of the harness that planned it")
    looks: tuple[Look, ...] = Field(default=(), description="looks in order, empty for a fixed number of blocks")
    screen_blocks: int = Field(default=0, ge=0, description="blocks of the screen; they come first and decide nothing")
    tunnel: str | None = Field(
        default=None, description="host whose ssh connection carried the requests, so that times include it; else none"
    )
