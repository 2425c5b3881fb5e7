"""The load of one launch: capability, coherence and numerics, the protocol, and what is watched meanwhile.

Everything that sends requests to a server under measurement is started here.
"""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from harness.adapters import EngineReport
from harness.client.record import RequestRecord
from harness.client.stream import Client, Door, connections
from harness.gates.base import GateOutcome
from harness.gates.capability import check_capability
from harness.gates.coherent import check_coherent
from harness.gates.isolated import LAG_S, Look, check_isolated, without_counters
from harness.gates.looks import card_readings, looks
from harness.gates.numerics import check_numerics, numerics_records, protocol_texts
from harness.gates.quiet import check_quiet
from harness.hosts.base import Held
from harness.hosts.looking import machine
from harness.protocols import PROTOCOLS, ProtocolOutcome
from harness.vocabulary.outcome import GateName
from harness.workflow.cross_check import cross_checked
from harness.workflow.launch_values import Phase
from harness.workflow.scene import Scene, Seen
from harness.workflow.surroundings import surroundings

SETTLE_POLL_S = 0.2  # engines publish their counters once a step; a settled one is read at once
MOST_ASKED = 3  # times that counters are asked for; each may take ten seconds, and a server that ended answers none


@dataclass(frozen=True)
class _Watched:
    """One protocol run and what was seen beside it."""

    trial: ProtocolOutcome
    looks: tuple[Look, ...]
    quiet: GateOutcome


@dataclass(frozen=True)
class _Load:
    """All requests between two readings of the counters, and the looks meanwhile."""

    records: Sequence[RequestRecord]
    looks: Sequence[Look]


async def load(scene: Scene, server: Held, seen: Seen, door: Door) -> Seen:
    """Load the server as the criteria say; `seen` with the gates, the trial and the texts that came of it."""
    criteria = scene.criteria
    timeout_s = criteria.settings.request_timeout_s
    async with connections() as client:
        if criteria.capability is not None:
            gate, _ = await check_capability(client, door, criteria.capability, timeout_s)
            seen = seen.with_gate(gate)
        before = await _at_rest(scene, server, door)  # after the capability check: a refused prompt may be counted
        records = await numerics_records(client, door, timeout_s)
        coherent, numerics = check_coherent(records[0]), check_numerics(records)
        seen = replace(seen.with_gate(coherent, numerics), texts=numerics.texts or ())
        if seen.failure:
            return seen
        scene.tell(Phase.LOADING, coherent.evidence)
        watched = await _watched(scene, server, client, door)
    trial = watched.trial
    seen = replace(seen, trial=trial)
    if trial.reason is not None:
        return seen
    if trial.texts:
        gate = protocol_texts(seen.texts, trial.texts)
        seen = replace(seen.with_gate(gate), texts=gate.texts or ())
    isolated = await _isolated(scene, server, door, before, _Load((*records, *trial.records), watched.looks))
    return seen.with_gate(*((isolated,) if isolated else ()), watched.quiet)


async def _watched(scene: Scene, server: Held, client: Client, door: Door) -> _Watched:
    """The protocol, with the engine's counters and the cards looked at now and then, the machine before and after."""
    before = await machine(scene.host, server)
    async with (
        looks(scene.adapter, door.base_url) as seen,
        card_readings(scene.host, server, before) as during,
    ):
        around = surroundings(scene.host, server, lambda: scene.report(server, door.base_url))
        protocol = PROTOCOLS[scene.criteria.protocol]
        client.restart()
        trial = await protocol(client, door, scene.criteria, scene.request.prompt_seed, around)
        load = client.load()
    after = await machine(scene.host, server)
    pids = frozenset(await scene.host.pids(server))
    trial = await cross_checked(trial, load, door, scene.target.endpoint.tokenizer)
    return _Watched(trial, tuple(seen), check_quiet(scene.target.quiet, before, after, pids, during))


async def _at_rest(scene: Scene, server: Held, door: Door) -> EngineReport:
    """The engine's report once nothing runs or waits; after the lag, as it is: then it is somebody else's."""
    deadline = time.monotonic() + LAG_S
    while True:
        report = await _answered(scene, server, door)
        counters = scene.adapter.counters(report)
        busy = counters is not None and (counters.running or counters.waiting)
        if not busy or time.monotonic() > deadline:
            return report
        await asyncio.sleep(SETTLE_POLL_S)


async def _answered(scene: Scene, server: Held, door: Door) -> EngineReport:
    """The engine's report, asked for again where its counters were not answered: a busy machine is no proof missing."""
    for _ in range(MOST_ASKED - 1):
        report = await scene.report(server, door.base_url)
        if not report.silent:
            return report
        await asyncio.sleep(SETTLE_POLL_S)
    return await scene.report(server, door.base_url)


async def _isolated(scene: Scene, server: Held, door: Door, before: EngineReport, load: _Load) -> GateOutcome | None:
    """A missing proof fails the gate only where the criteria name it; a stranger that was seen always does.

    Counters that do not agree are read again until the lag is over: an engine publishes once a step.
    """
    deadline, first = time.monotonic() + LAG_S, scene.adapter.counters(before)
    while True:
        report = await _answered(scene, server, door)
        gate = check_isolated(first, scene.adapter.counters(report), load.records, load.looks)
        if gate is None or gate.passed or time.monotonic() > deadline:
            break
        await asyncio.sleep(SETTLE_POLL_S)
    if gate is None and GateName.ISOLATED in scene.criteria.gates:
        return without_counters(before if before.silent else report, scene.adapter.counted)
    return gate
