"""One protocol run on one launch: metrics, or an invalid outcome with its reason; never both."""

from typing import ClassVar, Self

from pydantic import Field, model_validator

from ledger.entries.base import BlobRef, Part, Payload, RunId


class Metric(Part):
    """One number at one load."""

    metric: str = Field(description="name of the metric, as docs/measuring.md defines it")
    load: int = Field(ge=1, description="number of users at once")
    value: float = Field(description="the number, in the metric's unit")
    samples: int = Field(ge=1, description="how many steps of the protocol it is the mean of")


class ClientCost(Part):
    """What the measuring client itself cost and how late it was, while requests of the protocol were open."""

    requests: int = Field(ge=0, description="requests sent")
    events: int = Field(ge=0, description="pieces of body that arrived")
    open_s: float = Field(ge=0, description="time with at least one request open, seconds")
    cpu_s: float = Field(ge=0, description="CPU of the client's process in that time, seconds")
    dispatch_p99_ms: float = Field(description="from meant to be sent to sent, without connecting, 99th percentile, ms")
    dispatch_max_ms: float = Field(description="the same, the largest, ms")
    lag_p99_ms: float = Field(ge=0, description="how late the event loop came to a timer, 99th percentile, ms")
    lag_max_ms: float = Field(ge=0, description="the same, the largest, ms")
    bound: bool = Field(description="whether a measured time may be the client's and not the server's")


class Trial(Payload):
    """Numbers exist only if the protocol ended well."""

    kind: ClassVar[str] = "trial"

    launch: str = Field(description="the launch it ran on")
    run: RunId = Field(description="the measuring run")
    protocol: str = Field(description="name of the protocol")
    metrics: tuple[Metric, ...] = Field(description="the numbers, empty when invalid")
    reason: str | None = Field(description="reason code when invalid, none when there are numbers")
    detail: str = Field(description="one sentence when invalid, else empty")
    findings: tuple[str, ...] = Field(default=(), description="what numbers alone do not say, one sentence each")
    requests: BlobRef | None = Field(default=None, description="every request's record, as JSON lines")
    client: ClientCost | None = Field(default=None, description="the client's own part in the times it reports")

    @model_validator(mode="after")
    def _never_both(self) -> Self:
        if bool(self.metrics) == (self.reason is not None):
            raise ValueError("a trial has metrics or a reason, never both and never neither")
        return self
