"""One launch: start, prove, check, load, stop. The only unit that may carry numbers, and only if every gate held.

Expected failures are values in the outcome. The server is stopped on every way out, a cancellation included.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from harness.adapters import ADAPTERS, Adapter, EngineReport, Place, server_spec
from harness.adapters.base import recorded_environment
from harness.client.record import RequestRecord
from harness.client.stream import Door, connections
from harness.gates.armed import check_armed, self_armed
from harness.gates.base import GateOutcome, failed
from harness.gates.capability import check_capability
from harness.gates.coherent import check_coherent
from harness.gates.isolated import check_isolated
from harness.gates.numerics import check_numerics, numerics_records, protocol_texts
from harness.gates.ready import prove_alias, wait_ready
from harness.hosts.base import GuardedHost, Held, NotStarted
from harness.hosts.looking import free_port
from harness.protocols import PROTOCOLS, ProtocolOutcome
from harness.vocabulary.arm import Arm
from harness.vocabulary.criteria import Criteria
from harness.vocabulary.outcome import GateName, Reason, Role
from harness.vocabulary.target import Target
from harness.workflow.ending import certainly, death, memory_returned, start_held
from harness.workflow.launch_values import LaunchEvent, LaunchOutcome, LaunchRequest, Phase
from harness.workflow.surroundings import surroundings
from ledger.entries import Launch

__all__ = ["LaunchEvent", "LaunchOutcome", "LaunchRequest", "Phase", "run_launch"]

# Gates whose failure is a finding about the arm, not a fault of the launch: the baseline is expected to fail it.
FINDINGS = frozenset({GateName.CAPABILITY})


@dataclass(frozen=True)
class _Bench:
    """Everything that stays the same during one launch."""

    request: LaunchRequest
    target: Target
    criteria: Criteria
    host: GuardedHost
    arms: Sequence[Arm]
    adapter: Adapter
    place: Place
    tell: Callable[[Phase, str], None]


@dataclass(frozen=True)
class _Seen:
    """What was seen so far; `trial` stays none until the protocol ran."""

    gates: tuple[GateOutcome, ...] = ()
    trial: ProtocolOutcome | None = None
    texts: tuple[str, ...] = ()
    self_armed: tuple[str, ...] = ()
    ready_s: float | None = None
    died: str | None = None  # last words of a server that ended while it was used

    def with_gate(self, *gates: GateOutcome) -> "_Seen":
        return replace(self, gates=(*self.gates, *gates))

    @property
    def failure(self) -> GateOutcome | None:
        """The first gate that did not hold and makes the launch invalid."""
        return next((gate for gate in self.gates if not gate.passed and gate.gate not in FINDINGS), None)


async def run_launch(
    request: LaunchRequest,
    target: Target,
    criteria: Criteria,
    host: GuardedHost,
    arms: Sequence[Arm],
    progress: Callable[[LaunchEvent], None],
) -> LaunchOutcome:
    """Run one launch from start to free memory. `arms` are all of the plan: a baseline must show none of them."""
    began, started_at = time.monotonic(), time.time()

    def tell(phase: Phase, detail: str) -> None:
        progress(LaunchEvent(request.launch, phase, time.monotonic() - began, detail))

    adapter = ADAPTERS[target.adapter]
    port = 0 if adapter.port_zero else await free_port(host, target.endpoint.host)
    place = Place(alias=request.launch, port=port, cwd=request.cwd)
    bench = _Bench(request, target, criteria, host, arms, adapter, place, tell)
    free_before_mib = await host.memory_available_mib()
    tell(Phase.STARTING, request.arm.name if request.arm else request.role.value)
    server = await start_held(host, server_spec(adapter, target, request.arm, place))
    if isinstance(server, NotStarted):
        gate = failed(GateName.READY, Reason.START_REFUSED, server.detail)
        return _outcome(bench, None, _Seen(gates=(gate,)), "", started_at)
    try:
        seen = await _with_death(bench, server, await _use(bench, server))
        log = await host.read_log(server)
    finally:
        tell(Phase.STOPPING, "")
        await certainly(host.stop(server, target.teardown.grace_s))
    free = await memory_returned(host, target.teardown, free_before_mib)
    tell(Phase.FREE, "" if free else "memory did not come back in time")
    return replace(_outcome(bench, server, seen, log, started_at), memory_returned=free)


async def _use(bench: _Bench, server: Held) -> _Seen:
    """From the ready line to the last gate; ends at the first gate that does not hold."""
    start = await wait_ready(bench.host, server, bench.target.ready, _fallback_url(bench))
    seen = _Seen(gates=(start.gate,), ready_s=start.ready_s)
    if not start.gate.passed or start.base_url is None:
        return seen
    bench.tell(Phase.READY, start.gate.evidence)
    report = await bench.adapter.report(start.base_url, await bench.host.read_log(server))
    if bench.adapter.serves_alias:
        seen = replace(seen, gates=(prove_alias(start.gate, report.served_models, bench.place.alias),))
        if seen.failure:
            return seen
    armed = check_armed(bench.target, bench.request.arm, bench.arms, bench.adapter, report)
    seen = seen.with_gate(armed)
    if bench.request.role is not Role.ARM:
        seen = replace(seen, self_armed=tuple(arm.fingerprint for arm in self_armed(bench.arms, report)))
    if seen.failure:
        return seen
    bench.tell(Phase.ARMED, armed.evidence)
    return await _load(bench, server, seen, _door(bench, start.base_url, report))


async def _load(bench: _Bench, server: Held, seen: _Seen, door: Door) -> _Seen:
    """Capability, coherence and numerics, the protocol, isolation: everything that sends requests."""
    criteria = bench.criteria
    timeout_s = criteria.settings.request_timeout_s
    async with connections() as client:
        if criteria.capability is not None:
            gate, _ = await check_capability(client, door, criteria.capability, timeout_s)
            seen = seen.with_gate(gate)
        before = await _report(bench, server, door)  # after the capability check: a refused prompt may be counted
        records = await numerics_records(client, door, timeout_s)
        coherent, numerics = check_coherent(records[0]), check_numerics(records)
        seen = replace(seen.with_gate(coherent, numerics), texts=numerics.texts or ())
        if seen.failure:
            return seen
        bench.tell(Phase.LOADING, coherent.evidence)
        around = surroundings(bench.host, server, lambda: _report(bench, server, door))
        trial = await PROTOCOLS[criteria.protocol](client, door, criteria, bench.request.prompt_seed, around)
    seen = replace(seen, trial=trial)
    if trial.reason is not None:
        return seen
    if trial.texts:
        gate = protocol_texts(seen.texts, trial.texts)
        seen = replace(seen.with_gate(gate), texts=gate.texts or ())
    after = await _report(bench, server, door)
    isolated = _isolated(bench, before, after, (*records, *trial.records))
    return seen.with_gate(isolated) if isolated else seen


def _isolated(
    bench: _Bench, before: EngineReport, after: EngineReport, records: Sequence[RequestRecord]
) -> GateOutcome | None:
    """A missing proof fails the gate only where the criteria name it; a stranger that was seen always does."""
    counters = bench.adapter.counters
    gate = check_isolated(counters(before), counters(after), records)
    if gate is None and GateName.ISOLATED in bench.criteria.gates:
        return failed(GateName.ISOLATED, Reason.NO_PROOF, "the engine publishes no counters, so nothing can be shown")
    return gate


async def _report(bench: _Bench, server: Held, door: Door) -> EngineReport:
    return await bench.adapter.report(door.base_url, await bench.host.read_log(server))


def _door(bench: _Bench, base_url: str, report: EngineReport) -> Door:
    served, alias = report.served_models, bench.place.alias
    model = alias if alias in served else bench.target.endpoint.model or next(iter(served), "")
    return Door(base_url, bench.target.endpoint.api, model, bench.adapter.sampling)


def _fallback_url(bench: _Bench) -> str:
    return f"http://{bench.target.endpoint.host}:{bench.place.port or bench.target.endpoint.port}"


async def _with_death(bench: _Bench, server: Held, seen: _Seen) -> _Seen:
    """Where there are no numbers, see whether the server's end explains it; a refused start has its own words."""
    if seen.ready_s is None or (seen.trial is not None and seen.trial.metrics and seen.failure is None):
        return seen
    return replace(seen, died=await death(bench.host, server))


def _outcome(bench: _Bench, server: Held | None, seen: _Seen, log: str, started_at: float) -> LaunchOutcome:
    """The launch as it is recorded. Death explains more than the gate that noticed it, so it comes first."""
    request, failure = bench.request, seen.failure
    reason, detail = (failure.reason, failure.evidence) if failure else (None, "")
    if seen.died is not None:
        reason, detail = Reason.DIED, seen.died
    launch = Launch(
        launch=request.launch,
        run=request.run,
        target=bench.target.name,
        block=request.block,
        attempt=request.attempt,
        position=request.position,
        role=request.role.value,
        arm=request.arm.fingerprint if request.arm else None,
        argv=bench.adapter.argv(bench.target, request.arm, bench.place),
        env=recorded_environment(bench.target, request.arm),
        pid=server.pid if server else None,
        start_time=server.start_time if server else None,
        ready_s=seen.ready_s,
        log=None,
        outcome="ran" if reason is None else "invalid",
        reason=reason,
        detail=detail,
    )
    trial = seen.trial if reason is None or seen.trial is None else _void(seen.trial, reason, detail)
    return LaunchOutcome(
        launch,
        seen.gates,
        trial,
        seen.texts,
        log,
        started_at,
        time.time(),
        self_armed=seen.self_armed,
        protocol=bench.criteria.protocol.value,
    )


def _void(trial: ProtocolOutcome, reason: Reason, detail: str) -> ProtocolOutcome:
    return replace(trial, metrics=(), reason=reason, detail=detail)
