"""Criteria: what must be measured, and what must come out, before an arm can be accepted. Written beforehand."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from harness.vocabulary.base import Value
from harness.vocabulary.outcome import GateName, Metric


class Ladder(Value):
    """The ladder protocol: steps of simultaneous users, up and down again, without cooling (lesson M1)."""

    steps: tuple[Annotated[int, Field(ge=1, le=1024)], ...] = Field(
        default=(1, 2, 4, 8, 8, 4, 2, 1), min_length=1, max_length=64, description="users at each step"
    )
    tokens: int = Field(default=256, ge=16, le=8192, description="tokens each request must generate")
    request_timeout_s: float = Field(default=300, gt=0, description="wall-clock limit of one request, seconds")


class Primary(Value):
    """The one metric that decides, at the one load it is decided for (lesson A6c)."""

    metric: Metric = Field(description="the metric")
    load: int = Field(ge=1, description="number of users at once")
    smallest_effect_pct: float = Field(gt=0, le=500, description="smallest effect that matters, percent")


class Guard(Value):
    """A metric that must not get worse by more than its margin."""

    metric: Metric = Field(description="the metric")
    load: int = Field(ge=1, description="number of users at once")
    margin_pct: float = Field(gt=0, le=100, description="how much worse is still acceptable, percent")


class NumericsPolicy(Value):
    """What a changed text means for acceptance."""

    policy: Literal["identical", "quality", "report"] = Field(description="identity, a quality gate, or only a report")
    reason: str = Field(default="", description="why identity is not asked for; needed unless the policy is identical")
    min_quality: float | None = Field(
        default=None, ge=0, le=1, description="quality: least mean similarity of texts to the baseline's, 0 to 1"
    )

    @model_validator(mode="after")
    def _reasoned(self) -> Self:
        if self.policy != "identical" and not self.reason.strip():
            raise ValueError(f"policy {self.policy!r} needs a reason")
        if self.policy == "quality" and self.min_quality is None:
            raise ValueError("policy 'quality' needs min_quality")
        return self


class Capability(Value):
    """A named check that must fail on the baseline and hold on the arm (lesson A6b)."""

    check: Literal["context_tokens"] = Field(description="context_tokens: a prompt of `value` tokens is answered")
    value: int = Field(ge=1, description="the size asked for")


class Criteria(Value):
    """Either an improvement (primary must be FASTER) or, where `capability` is given, a capability gained."""

    schema_version: Literal[1] = Field(alias="schema", description="version of the file format")
    protocol: Literal["ladder"] = Field(default="ladder", description="how a launch is loaded")
    ladder: Ladder = Field(default_factory=Ladder, description="settings of the ladder")
    blocks: int = Field(ge=2, le=200, description="number of blocks, fixed")
    level: float = Field(gt=0, le=0.2, description="one-sided error level for the whole run")
    primary: Primary = Field(description="the metric that decides")
    guard: tuple[Guard, ...] = Field(default=(), description="metrics that must not get worse")
    numerics: NumericsPolicy = Field(description="what a changed text means")
    gates: tuple[GateName, ...] = Field(
        default=(GateName.READY, GateName.ARMED, GateName.COHERENT), description="gates that must hold"
    )
    capability: Capability | None = Field(default=None, description="a capability instead of an improvement")

    @model_validator(mode="after")
    def _loads_are_measured(self) -> Self:
        for what, load in (("primary", self.primary.load), *(("guard", guard.load) for guard in self.guard)):
            if load not in self.ladder.steps:
                raise ValueError(f"{what} names load {load}, which the ladder {list(self.ladder.steps)} never reaches")
        return self
