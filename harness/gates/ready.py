"""Ready: the server's own log says so, and the socket that answers belongs to the process that was started (S2).

A log may say anything: only the port is taken from the address it names, and only where that address can be this
machine's own. What is dialled is the target's own host.
"""

import asyncio
import ipaddress
import re
import time
from dataclasses import dataclass, replace
from urllib.parse import SplitResult, urlsplit

from harness.gates.base import GateOutcome, failed, held
from harness.gates.startup import recognised
from harness.gates.words import engine_words
from harness.hosts.base import GuardedHost, Held, WatchedHost
from harness.hosts.looking import port_use
from harness.shortened import ending
from harness.vocabulary.outcome import GateName, Reason
from harness.vocabulary.target import Ready

SHOWN = 200  # characters of a log's last line
USERS_POLL_S = 0.5  # for so long a user may be answered by an experiment; looking takes a few milliseconds
ON_USERS_PORT = (
    "it listens on port {}, where production's users ask, and not on the one that it was given: it was ended at once; "
    "have its command or script take --port"
)
POLL_S = 0.05  # the log is read this often while a server starts


@dataclass(frozen=True)
class Start:
    """How a start went: the gate, and where and when the server was ready (none if never)."""

    gate: GateOutcome
    base_url: str | None
    ready_s: float | None


async def wait_ready(host: GuardedHost, server: Held, ready: Ready, fallback_url: str, users_port: int = 0) -> Start:
    """Wait for the ready line in the server's own log, then prove who listens on the port it names.

    `fallback_url` holds the target's own host, and the port where the line names none. Some engines say their line
    before their port listens (vLLM's `GPU KV cache size`): then the wait goes on until it does, within the same limit.
    A server that takes `users_port`, on which production's users ask, is given up at once (0: there is no such port).
    """
    began = time.monotonic()
    own_host, looked_s = urlsplit(fallback_url).hostname or "", 0.0
    pattern = re.compile(ready.pattern, re.MULTILINE)
    while True:
        alive = await host.alive(server)  # asked before the log is read: what a dying server wrote is not missed
        log = await host.read_log(server)
        found = pattern.search(log)
        waited_s = time.monotonic() - began
        if not alive:
            return _refused(log)
        if users_port and (found or waited_s - looked_s > USERS_POLL_S):
            looked_s = waited_s
            if await _takes(host, server, users_port):
                return _never(Reason.ON_USERS_PORT, ON_USERS_PORT.format(users_port))
        named = (found.groupdict().get("url") or fallback_url) if found else ""
        if found and (waited_s > ready.timeout_s or not await _still_silent(host, named)):
            gate = _elsewhere(await prove_process(host, server, named, own_host), named, fallback_url)
            return Start(gate, dialled(named, own_host) if gate.passed else None, waited_s)
        if waited_s > ready.timeout_s:
            return _too_late(ready, log)
        await asyncio.sleep(POLL_S)


async def prove_process(host: WatchedHost, server: Held, named_url: str, own_host: str) -> GateOutcome:
    """The address can be this machine's, and every socket listening on its port is of the process tree of `server`."""
    named = _parts(named_url)
    if named is None or named.port is None:
        return failed(GateName.READY, Reason.WRONG_PROCESS, f"the ready line names no port: {named_url!r}")
    if not _may_be_own(named.hostname or "", own_host):
        said = f"the ready line names another host than {own_host!r} or a loopback address: {named_url!r}"
        return failed(GateName.READY, Reason.WRONG_PROCESS, said)
    port, pids = named.port, await host.pids(server)
    use = await port_use(host, port, pids)
    if not use.listening:
        return failed(GateName.READY, Reason.WRONG_PROCESS, f"nothing listens on port {port}")
    if use.foreign:
        who = "; ".join(use.holders) or "of another user"
        return failed(
            GateName.READY,
            Reason.STALE_SERVER,
            f"port {port} is served by another process than the one started (pids {list(pids)}): {who}",
        )
    return held(GateName.READY, f"own log names {named_url}; port {port} belongs to pid {server.pid}")


def _elsewhere(gate: GateOutcome, named_url: str, given_url: str) -> GateOutcome:
    """Another server on the port that this one was given, and a ready line that leads to another server, are two."""
    named, given = _parts(named_url), _parts(given_url)
    if gate.reason is not Reason.STALE_SERVER or named is None or given is None or given.port in (None, 0, named.port):
        return gate
    said = f"{gate.evidence}; it was given port {given.port} and its ready line leads elsewhere"
    return replace(gate, reason=Reason.READY_ELSEWHERE, evidence=said)


async def _takes(host: WatchedHost, server: Held, port: int) -> bool:
    """Whether the server's own processes, and nobody else, listen on that port."""
    use = await port_use(host, port, await host.pids(server))
    return use.listening and not use.foreign


async def _still_silent(host: WatchedHost, named_url: str) -> bool:
    """Whether the address names a port on which nobody listens yet."""
    named = _parts(named_url)
    return named is not None and named.port is not None and not (await port_use(host, named.port, ())).listening


def dialled(named_url: str, own_host: str) -> str:
    """The base address to ask: the target's own host with the port that was proven. Raises ValueError without one."""
    named = _parts(named_url)
    if named is None or named.port is None:
        raise ValueError(f"{named_url!r} was never proven")
    host = f"[{own_host}]" if ":" in own_host else own_host
    return f"http://{host}:{named.port}{named.path.rstrip('/')}"


def prove_alias(ready: GateOutcome, served: tuple[str, ...], alias: str) -> GateOutcome:
    """The second proof: whoever answers serves the model under the name that only this launch was given."""
    if alias in served:
        return replace(ready, evidence=f"{ready.evidence}; it serves {alias!r}")
    return failed(GateName.READY, Reason.WRONG_PROCESS, f"who answers serves {list(served)}, not {alias!r}")


def _parts(url: str) -> SplitResult | None:
    """The address in its parts, none where host or port cannot be read."""
    try:
        parts = urlsplit(url)
        return parts if parts.port is None or parts.hostname else None
    except ValueError:
        return None


def _may_be_own(named_host: str, own_host: str) -> bool:
    if named_host in (own_host, "localhost", "*"):
        return True
    try:
        address = ipaddress.ip_address(named_host)
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


def _refused(log: str) -> Start:
    """The server ended before it was ready: a cause that its log shows, else its own words."""
    cause = recognised(log)
    return _never(cause.reason, cause.sentence) if cause else _never(Reason.START_REFUSED, engine_words(log))


def _too_late(ready: Ready, log: str) -> Start:
    """The server runs and does not say that it is ready; a cause that its log shows is told, but proves nothing."""
    said = f"no line matching {ready.pattern!r} in its log within {ready.timeout_s:g} s; last: {_last(log)}"
    cause = recognised(log)
    return _never(Reason.NOT_READY, f"{said}; perhaps {cause.sentence}" if cause else said)


def _never(reason: Reason, evidence: str) -> Start:
    return Start(failed(GateName.READY, reason, evidence), None, None)


def _last(log: str) -> str:
    lines = log.strip().splitlines()
    return repr(ending(lines[-1], SHOWN)) if lines else "nothing was written"
