"""Proof that production is back: the process that answers is the recorded one, armed as described, and coherent."""

from harness.adapters import ADAPTERS
from harness.client.stream import Ask, Door, connections, send
from harness.gates.armed import check_armed, missing_markers
from harness.gates.base import GateOutcome, failed, held
from harness.gates.coherent import PROBE_TOKENS, check_coherent
from harness.gates.numerics import PROMPTS
from harness.gates.ready import dialled, prove_process
from harness.hosts.base import Production
from harness.hosts.host import Host
from harness.vocabulary.outcome import GateName, Reason
from harness.vocabulary.target import Target
from harness.workflow.production import differences
from harness.workflow.recorded_words import blanks_over

PROBE_TIMEOUT_S = 120  # wall clock of the one probe request; a production server that needs longer is not back


def named_by(target: Target) -> str:
    """The address that the target's file names, for servers whose ready line names none."""
    return f"http://{target.endpoint.host}:{target.endpoint.port}"


async def production_gates(host: Host, target: Target) -> tuple[GateOutcome, ...]:
    """The gates of a running production server, up to and including the first that does not hold."""
    production = await host.production()
    return blanks_over(target, production).whole(await _gates(host, target, production))


async def _gates(host: Host, target: Target, production: Production) -> tuple[GateOutcome, ...]:
    if production.held is None:
        return ()
    named = production.url or named_by(target)
    ready = await prove_process(host, production.held, named, target.endpoint.host)
    if not ready.passed:
        return (ready,)
    url = await host.reach(dialled(named, target.endpoint.host))
    adapter = ADAPTERS[target.adapter]
    report = await adapter.report(url, await host.read_log(production.held))
    drift = differences(target, production.started_as)
    armed = _as_started(target, report.log, drift) if drift else check_armed(target, None, (), adapter, report)
    if not armed.passed:
        return ready, armed
    model = target.endpoint.model or next(iter(report.served_models), "")
    door = Door(url, target.endpoint.api, model, adapter.sampling)
    async with connections() as client:
        record = await send(client, door, Ask(PROMPTS[0], PROBE_TOKENS, PROBE_TIMEOUT_S))
    return ready, armed, check_coherent(record)


def _as_started(target: Target, log: str, drift: tuple[str, ...]) -> GateOutcome:
    """The armed gate where the target's file was changed after the start: its settings cannot be asked for any more."""
    missing = missing_markers(target, log)
    if missing:
        return failed(GateName.ARMED, Reason.NOT_ARMED, "; ".join(missing))
    return held(GateName.ARMED, f"it runs as it was started: {'; '.join(drift)}")


async def prove_production(host: Host, target: Target) -> str | None:
    """None when production is proven back, else one sentence that says what does not hold and what to do."""
    gates = await production_gates(host, target)
    if not gates:
        return f"production of {target.name!r} does not run; start it with 'harness start {target.name}'"
    for gate in gates:
        if not gate.passed:
            return (
                f"production of {target.name!r} answers but does not pass gate {gate.gate} ({gate.evidence}); "
                f"look at 'harness attest {target.name}'"
            )
    return None
