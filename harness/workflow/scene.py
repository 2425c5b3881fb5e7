"""One launch while it goes on: what stays the same, and what was seen so far. Frozen values."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from harness.adapters import Adapter, EngineReport, Place
from harness.client.stream import Door
from harness.gates.base import GateOutcome
from harness.hosts.base import GuardedHost, Held
from harness.hosts.looking import MachineFacts
from harness.hosts.models import ModelSeen
from harness.protocols import ProtocolOutcome
from harness.vocabulary.arm import Arm
from harness.vocabulary.criteria import Criteria
from harness.vocabulary.outcome import GateName
from harness.vocabulary.target import Target
from harness.workflow.launch_values import LaunchRequest, Phase

# Gates whose failure is a finding about the arm, not a fault of the launch: the baseline is expected to fail it.
FINDINGS = frozenset({GateName.CAPABILITY})


@dataclass(frozen=True)
class Scene:
    """Everything that stays the same during one launch."""

    request: LaunchRequest
    target: Target
    criteria: Criteria
    host: GuardedHost
    arms: Sequence[Arm]
    adapter: Adapter
    place: Place
    tell: Callable[[Phase, str], None]
    started_at: float  # seconds since 1970

    async def report(self, server: Held, base_url: str) -> EngineReport:
        """The engine's own words now."""
        return await self.adapter.report(base_url, await self.host.read_log(server))

    def door(self, base_url: str, report: EngineReport) -> Door:
        """Where requests go, and the model's name there: this launch's own, where the engine serves it."""
        served, alias = report.served_models, self.place.alias
        model = alias if alias in served else self.target.endpoint.model or next(iter(served), "")
        return Door(base_url, self.target.endpoint.api, model, self.adapter.sampling)

    @property
    def program(self) -> str:
        """What the adapter starts."""
        return self.adapter.argv(self.target, self.request.arm, self.place)[0]

    @property
    def fallback_url(self) -> str:
        """Where the server answers if its ready line names no address."""
        return f"http://{self.target.endpoint.host}:{self.place.port or self.target.endpoint.port}"


@dataclass(frozen=True)
class Seen:
    """What was seen so far; `trial` stays none until the protocol ran."""

    gates: tuple[GateOutcome, ...] = ()
    trial: ProtocolOutcome | None = None
    texts: tuple[str, ...] = ()
    self_armed: tuple[str, ...] = ()
    ready_s: float | None = None
    machine: MachineFacts | None = None  # none where it came to no armed gate
    models: tuple[ModelSeen, ...] = ()  # empty where it came to no armed gate, or no file is known
    build: str | None = None  # the engine's own words about its version
    died: GateOutcome | None = None  # the last words of a server that ended while it was used

    def with_gate(self, *gates: GateOutcome) -> "Seen":
        """The same with more gates."""
        return replace(self, gates=(*self.gates, *gates))

    @property
    def failure(self) -> GateOutcome | None:
        """The first gate that did not hold and makes the launch invalid."""
        return next((gate for gate in self.gates if not gate.passed and gate.gate not in FINDINGS), None)
