"""Ready: the server's own log says so, and the socket that answers belongs to the process that was started (S2)."""

import asyncio
import re
import time
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from harness.gates.base import GateOutcome, failed, held
from harness.gates.sockets import listening_inodes, socket_inodes
from harness.gates.words import engine_words
from harness.hosts.base import GuardedHost, Held, WatchedHost
from harness.vocabulary.outcome import GateName, Reason
from harness.vocabulary.target import Ready

POLL_S = 0.05  # the log is read this often while a server starts


@dataclass(frozen=True)
class Start:
    """How a start went: the gate, and where and when the server was ready (none if never)."""

    gate: GateOutcome
    base_url: str | None
    ready_s: float | None


async def wait_ready(host: GuardedHost, server: Held, ready: Ready, fallback_url: str) -> Start:
    """Wait for the ready line in the server's own log, then prove who listens at the address it names."""
    began = time.monotonic()
    pattern = re.compile(ready.pattern, re.MULTILINE)
    while True:
        alive = await host.alive(server)  # asked before the log is read: what a dying server wrote is not missed
        log = await host.read_log(server)
        found = pattern.search(log)
        waited_s = time.monotonic() - began
        if not alive:
            return _never(Reason.START_REFUSED, engine_words(log))
        if found:
            base_url = found.groupdict().get("url") or fallback_url
            return Start(await prove_process(host, server, base_url), base_url.rstrip("/"), waited_s)
        if waited_s > ready.timeout_s:
            return _never(
                Reason.NOT_READY,
                f"no line matching {ready.pattern!r} in its log within {ready.timeout_s:g} s; last: {_last(log)}",
            )
        await asyncio.sleep(POLL_S)


async def prove_process(host: WatchedHost, server: Held, base_url: str) -> GateOutcome:
    """Every socket listening on the address's port must belong to the process tree of `server`."""
    try:
        port = urlsplit(base_url).port
    except ValueError:
        port = None
    if port is None:
        return failed(GateName.READY, Reason.WRONG_PROCESS, f"the ready line names no port: {base_url!r}")
    listening = listening_inodes(port)
    pids = await host.pids(server)
    foreign = listening - socket_inodes(pids)
    if not listening:
        return failed(GateName.READY, Reason.WRONG_PROCESS, f"nothing listens on port {port}")
    if foreign:
        return failed(
            GateName.READY,
            Reason.WRONG_PROCESS,
            f"port {port} is served by another process than the one started (pids {list(pids)})",
        )
    return held(GateName.READY, f"own log names {base_url}; port {port} belongs to pid {server.pid}")


def prove_alias(ready: GateOutcome, served: tuple[str, ...], alias: str) -> GateOutcome:
    """The second proof: whoever answers serves the model under the name that only this launch was given."""
    if alias in served:
        return replace(ready, evidence=f"{ready.evidence}; it serves {alias!r}")
    return failed(GateName.READY, Reason.WRONG_PROCESS, f"who answers serves {list(served)}, not {alias!r}")


def _never(reason: Reason, evidence: str) -> Start:
    return Start(failed(GateName.READY, reason, evidence), None, None)


def _last(log: str) -> str:
    lines = log.strip().splitlines()
    return repr(lines[-1][-200:]) if lines else "nothing was written"
