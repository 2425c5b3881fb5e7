"""Criteria: what must be measured, and what must come out, before an arm can be accepted. Written beforehand."""

from typing import Any, Literal, Self

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from harness.vocabulary.base import Value
from harness.vocabulary.loads import (
    Burst,
    Coherence,
    Documents,
    Identity,
    Ladder,
    Mixed,
    NestedPrefix,
    Priority,
    Settings,
    SharedDocument,
    Soak,
    TimeLimit,
    ToolCalls,
    Vision,
)
from harness.vocabulary.metrics import METRICS, NOT_COMPARED, ProtocolName
from harness.vocabulary.outcome import GateName, Metric
from harness.vocabulary.sequential import Budget, Design, Looks, PlantedControl, Screen

__all__ = ["Capability", "Criteria", "Guard", "Ladder", "NumericsPolicy", "Primary"]

LATER = frozenset(name.value for name in ProtocolName) - {ProtocolName.LADDER.value}  # tables of settings
DESIGN = frozenset(Design.model_fields)  # tables of a run that is not a fixed number of blocks
MOST_RUN_BLOCKS = 200  # of one run: days of downtime already, and no advice asks for more


def _without_unset(whole: dict[str, Any], later: frozenset[str]) -> dict[str, Any]:
    """Keys that came later are left out of a dump while they are unset: what was recorded before keeps its bytes."""
    return {key: value for key, value in whole.items() if value is not None or key not in later}


class _Compared(Value):
    """One metric at one load, and for protocols that measure several sizes at one size."""

    metric: Metric = Field(description="the metric")
    load: int = Field(ge=1, description="number of users at once")
    size: int | None = Field(
        default=None, ge=1, description="documents: prompt tokens; vision: pixels of a side; none for other protocols"
    )

    @property
    def name(self) -> str:
        """The metric's name as it stands in the record: with its size, where it has one."""
        return self.metric.value if self.size is None else f"{self.metric.value}@{self.size}"

    @model_serializer(mode="wrap")
    def _dumped(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return _without_unset(dump(self), frozenset({"size"}))


class Primary(_Compared):
    """The one metric that decides, at the one load it is decided for (lesson A6c)."""

    smallest_effect_pct: float = Field(gt=0, le=500, description="smallest effect that matters, percent")


class Guard(_Compared):
    """A metric that must not get worse by more than its margin."""

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
    """Either an improvement (primary must be FASTER) or, where `capability` is given, a capability gained.

    `protocol` names the way a launch is loaded, and the table of that name holds its settings; without one it has its
    defaults. A table of another protocol is refused, except `ladder`, which always stood in a dump.
    """

    schema_version: Literal[1] = Field(alias="schema", description="version of the file format")
    protocol: ProtocolName = Field(default=ProtocolName.LADDER, description="how a launch is loaded")
    ladder: Ladder = Field(default_factory=Ladder, description="settings of the ladder")
    mixed: Mixed | None = Field(default=None, description="settings of the mixed protocol")
    documents: Documents | None = Field(default=None, description="settings of the documents protocol")
    shared_document: SharedDocument | None = Field(default=None, description="settings of the shared document")
    nested_prefix: NestedPrefix | None = Field(default=None, description="settings of the nested-prefix check")
    priority: Priority | None = Field(default=None, description="settings of the priority probe")
    soak: Soak | None = Field(default=None, description="settings of the soak")
    burst: Burst | None = Field(default=None, description="settings of the burst")
    tool_calls: ToolCalls | None = Field(default=None, description="settings of the tool calls")
    vision: Vision | None = Field(default=None, description="settings of the vision tokens")
    identity: Identity | None = Field(default=None, description="settings of the output identity")
    coherence: Coherence | None = Field(default=None, description="settings of the coherence protocol")
    time_limit: TimeLimit | None = Field(default=None, description="settings of the time-limit probe")
    blocks: int = Field(ge=2, le=MOST_RUN_BLOCKS, description="number of blocks, fixed")
    level: float = Field(gt=0, le=0.2, description="one-sided error level for the whole run")
    primary: Primary = Field(description="the metric that decides")
    guard: tuple[Guard, ...] = Field(default=(), description="metrics that must not get worse")
    numerics: NumericsPolicy = Field(description="what a changed text means")
    gates: tuple[GateName, ...] = Field(
        default=(GateName.READY, GateName.ARMED, GateName.COHERENT), description="gates that must hold"
    )
    capability: Capability | None = Field(default=None, description="a capability instead of an improvement")
    looks: Looks | None = Field(default=None, description="interim looks; without them the blocks are fixed")
    screen: Screen | None = Field(default=None, description="a cheap pass before the confirmation")
    controls: tuple[PlantedControl, ...] | None = Field(default=None, description="arms whose verdict is known")
    budget: Budget | None = Field(default=None, description="limit of server minutes")

    @model_serializer(mode="wrap")
    def _dumped(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return _without_unset(dump(self), LATER | DESIGN)

    @property
    def design(self) -> Design:
        """Looks, screen, planted controls and budget; nothing of it where the number of blocks is fixed."""
        return Design(looks=self.looks, screen=self.screen, controls=self.controls or (), budget=self.budget)

    @model_validator(mode="after")
    def _design_fits(self) -> Self:
        if said := self.design.unfit_for(self.blocks, self.primary.smallest_effect_pct, self.capability is not None):
            raise ValueError(said)
        return self

    @property
    def settings(self) -> Settings:
        """The table of the protocol that is named, with its defaults where the file has none."""
        given: Settings | None = getattr(self, self.protocol.value)
        return given if given is not None else DEFAULTS[self.protocol]

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """The metrics that the protocol has and that launches are compared by."""
        return tuple(metric for metric in METRICS[self.protocol] if metric not in NOT_COMPARED)

    @model_validator(mode="after")
    def _tables_are_used(self) -> Self:
        for name in sorted(LATER - {self.protocol.value}):
            if getattr(self, name) is not None:
                raise ValueError(
                    f"[{name}] is given but the protocol is {self.protocol.value!r}; "
                    f"take the table out or set protocol = {name!r}"
                )
        return self

    @model_validator(mode="after")
    def _loads_are_measured(self) -> Self:
        settings, named = self.settings, self.protocol.value
        for what, one in (("primary", self.primary), *(("guard", guard) for guard in self.guard)):
            if one.metric not in self.metrics:
                raise ValueError(
                    f"{what} names {one.metric.value}, which the {named} does not compare; it has "
                    f"{', '.join(metric.value for metric in self.metrics)}"
                )
            if one.load not in settings.loads:
                raise ValueError(
                    f"{what} names load {one.load}, which the {named} {list(settings.loads)} never reaches"
                )
            if one.size not in (settings.sizes or (None,)):
                raise ValueError(
                    f"{what} names size {one.size}, but the {named} has {list(settings.sizes) or 'no sizes'}"
                )
        return self


DEFAULTS: dict[ProtocolName, Settings] = {
    ProtocolName.LADDER: Ladder(),
    ProtocolName.MIXED: Mixed(),
    ProtocolName.DOCUMENTS: Documents(),
    ProtocolName.SHARED_DOCUMENT: SharedDocument(),
    ProtocolName.NESTED_PREFIX: NestedPrefix(),
    ProtocolName.PRIORITY: Priority(),
    ProtocolName.SOAK: Soak(),
    ProtocolName.BURST: Burst(),
    ProtocolName.TOOL_CALLS: ToolCalls(),
    ProtocolName.VISION: Vision(),
    ProtocolName.IDENTITY: Identity(),
    ProtocolName.COHERENCE: Coherence(),
    ProtocolName.TIME_LIMIT: TimeLimit(),
}
