"""One launch: start, prove, check, load, stop. The only unit that may carry numbers, and only if every gate held.

Expected failures are values in the outcome. The server is stopped on every way out, a cancellation included.
"""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from harness.adapters import ADAPTERS, EngineReport, Place, server_spec
from harness.adapters.base import recorded_environment
from harness.gates.armed import check_armed, self_armed
from harness.gates.base import GateOutcome, failed
from harness.gates.ready import prove_alias, wait_ready
from harness.gates.running import as_json, look_at
from harness.gates.startup import recognised
from harness.hosts.base import GuardedHost, Held, NotStarted
from harness.hosts.looking import identity
from harness.protocols import ProtocolOutcome
from harness.vocabulary.arm import Arm
from harness.vocabulary.criteria import Criteria
from harness.vocabulary.outcome import GateName, Reason, Role
from harness.vocabulary.private import blanks_of
from harness.vocabulary.target import Target
from harness.workflow.arm_port import arm_port
from harness.workflow.ending import certainly, death, start_held
from harness.workflow.launch_values import LaunchEvent, LaunchOutcome, LaunchRequest, Phase
from harness.workflow.loading import load
from harness.workflow.memory import free_memory, not_returned
from harness.workflow.models import models_of
from harness.workflow.scene import Scene, Seen
from ledger.entries import Launch

__all__ = ["LaunchEvent", "LaunchOutcome", "LaunchRequest", "Phase", "run_launch"]

SERVE_POLL_S = 0.2
LAST_CHARACTERS = 20_000  # of a log in which the cause of a death under load is looked for


async def run_launch(
    request: LaunchRequest,
    target: Target,
    criteria: Criteria,
    host: GuardedHost,
    arms: Sequence[Arm],
    progress: Callable[[LaunchEvent], None],
) -> LaunchOutcome:
    """Run one launch from start to free memory. `arms` are all of the plan: a baseline must show none of them.

    This is the border for private values: neither the outcome nor what is told meanwhile holds any.
    """
    began, blanks = time.monotonic(), blanks_of(target)

    def tell(phase: Phase, detail: str) -> None:
        progress(LaunchEvent(request.launch, phase, time.monotonic() - began, blanks.text(detail)))

    return blanks.whole(await _launched(request, target, criteria, host, arms, tell))


async def _launched(
    request: LaunchRequest,
    target: Target,
    criteria: Criteria,
    host: GuardedHost,
    arms: Sequence[Arm],
    tell: Callable[[Phase, str], None],
) -> LaunchOutcome:
    started_at = time.time()
    adapter = ADAPTERS[target.adapter]
    place = Place(alias=request.launch, port=await arm_port(host, adapter, target), cwd=request.cwd)
    scene = Scene(request, target, criteria, host, arms, adapter, place, tell, started_at)
    free_before = await free_memory(host)
    tell(Phase.STARTING, request.arm.name if request.arm else request.role.value)
    spec = server_spec(adapter, target, request.arm, place)
    server = await start_held(host, replace(spec, argv=(*request.wrapper, *spec.argv)))
    if isinstance(server, NotStarted):
        gate = failed(GateName.READY, Reason.START_REFUSED, server.detail)
        return _outcome(scene, None, Seen(gates=(gate,)), "")
    try:
        seen = await _with_death(scene, server, await _use(scene, server))
        log = await host.read_log(server)
    finally:
        tell(Phase.STOPPING, "")
        await certainly(host.stop(server, target.teardown.grace_s))
    lacking = await not_returned(host, target.teardown, free_before)
    tell(Phase.FREE, f"memory did not come back in time ({'; '.join(lacking)})" if lacking else "")
    return replace(_outcome(scene, server, seen, log), memory_returned=not lacking)


async def _use(scene: Scene, server: Held) -> Seen:
    """From the ready line to the last gate; ends at the first gate that does not hold."""
    users_port = scene.target.endpoint.port  # an arm has another one
    start = await wait_ready(scene.host, server, scene.target.ready, scene.fallback_url, users_port)
    seen = Seen(gates=(start.gate,), ready_s=start.ready_s)
    if not start.gate.passed or start.base_url is None:
        return seen
    scene.tell(Phase.READY, start.gate.evidence)
    url = await scene.host.reach(start.base_url)
    report = await _serving(scene, server, url)
    if scene.adapter.serves_alias:
        seen = replace(seen, gates=(prove_alias(start.gate, report.served_models, scene.place.alias),))
        if seen.failure:
            return seen
    armed = await _armed(scene, server, report)
    models = await models_of(scene.host, scene.target, scene.request.arm, scene.program, armed)
    seen = replace(seen.with_gate(armed), machine=await identity(scene.host), models=models, build=report.build)
    if scene.request.role is not Role.ARM:
        seen = replace(seen, self_armed=tuple(arm.fingerprint for arm in self_armed(scene.arms, report)))
    if seen.failure:
        return seen
    scene.tell(Phase.ARMED, armed.evidence)
    return await load(scene, server, seen, scene.door(url, report))


async def _serving(scene: Scene, server: Held, url: str) -> EngineReport:
    """The engine's report once it lists a model; some say ready, and listen, before their workers have loaded."""
    deadline = time.time() + scene.target.ready.timeout_s
    while True:
        report = await scene.report(server, url)
        if report.served_models or not scene.adapter.serves_alias or time.time() > deadline:
            return report
        if not await scene.host.alive(server):
            return report
        await asyncio.sleep(SERVE_POLL_S)


async def _armed(scene: Scene, server: Held, report: EngineReport) -> GateOutcome:
    """The armed gate, with everything that was looked at for the record."""
    arm = scene.request.arm
    running = await look_at(scene.host, server, scene.target, arm, scene.started_at)
    gate = check_armed(scene.target, arm, scene.arms, scene.adapter, report, running)
    return replace(gate, seen=as_json(report, running))


async def _with_death(scene: Scene, server: Held, seen: Seen) -> Seen:
    """Where there are no numbers, see whether the server's end explains it; a refused start has its own words."""
    if seen.ready_s is None or (seen.trial is not None and seen.trial.metrics and seen.failure is None):
        return seen
    words = await death(scene.host, server)
    if words is None:
        return seen
    cause = recognised((await scene.host.read_log(server))[-LAST_CHARACTERS:])
    reason, said = (cause.reason, f"{words}; {cause.sentence}") if cause else (Reason.DIED, words)
    return replace(seen, died=failed(GateName.READY, reason, said))


def _outcome(scene: Scene, server: Held | None, seen: Seen, log: str) -> LaunchOutcome:
    """The launch as it is recorded. Death explains more than the gate that noticed it, so it comes first."""
    request, failure = scene.request, seen.died or seen.failure
    reason, detail = (failure.reason, failure.evidence) if failure else (None, "")
    launch = Launch(
        launch=request.launch,
        run=request.run,
        target=scene.target.name,
        block=request.block,
        attempt=request.attempt,
        position=request.position,
        role=request.role.value,
        arm=request.arm.fingerprint if request.arm else None,
        argv=(*request.wrapper, *scene.adapter.argv(scene.target, request.arm, scene.place)),
        env=recorded_environment(scene.target, request.arm),
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
        scene.started_at,
        time.time(),
        self_armed=seen.self_armed,
        protocol=scene.criteria.protocol.value,
        machine=seen.machine,
        models=seen.models,
        build=seen.build,
    )


def _void(trial: ProtocolOutcome, reason: Reason, detail: str) -> ProtocolOutcome:
    return replace(trial, metrics=(), reason=reason, detail=detail)
