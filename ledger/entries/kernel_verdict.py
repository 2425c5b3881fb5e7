"""What one run of the kernel bench says about one arm at one shape; no server was touched."""

from typing import ClassVar, Literal

from pydantic import Field

from ledger.entries.base import BlobRef, Payload, RunId, Sha256


class KernelVerdict(Payload):
    """Times are of kernels alone: a faster kernel is not yet a faster server. Speed is none unless it is valid."""

    kind: ClassVar[str] = "kernel_verdict"

    run: RunId = Field(description="the run of the bench, made once")
    task: str = Field(description="name of the task's folder")
    task_sha256: Sha256 = Field(description="hash of every file of the folder but results")
    device: str = Field(description="the card, or the processor, as it names itself")
    arm_name: str = Field(description="the arm")
    family: str = Field(description="arms that need the same kind of machine, empty if nothing is said")
    baseline: str = Field(description="the arm that it is compared with")
    shape: str = Field(description="the timed shape; where it was caught, or empty, for an arm that is not right")
    mode: Literal["warm", "cold", ""] = Field(description="whether inputs lay in the cache; empty without a time")
    validity: Literal["VALID", "INVALID", "INPUT_WRONG"] = Field(description="whether a number may exist")
    reason: str = Field(description="reason code and one sentence, empty when valid")
    speed: Literal["FASTER", "SLOWER", "SAME", "AMBIGUOUS"] | None = Field(description="none when no number may exist")
    time_us: float | None = Field(ge=0, description="median over blocks of one call, microseconds")
    estimate_pct: float | None = Field(description="change of calls a second against the control, percent")
    low_pct: float | None = Field(description="lower bound of the change, percent")
    high_pct: float | None = Field(description="upper bound of the change, percent")
    smallest_effect_pct: float = Field(gt=0, description="smallest effect that matters, percent")
    blocks: int = Field(ge=0, description="blocks behind it, each a process for every arm")
    more_blocks: int | None = Field(description="blocks more that would settle an AMBIGUOUS, else none")
    report: BlobRef = Field(description="the runner's whole report, application/json")
