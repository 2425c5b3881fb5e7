"""The simulated server as a process: options, workers, log, socket, and its end.

The order is a real server's: settings, workers load, the cache is sized, the socket opens, ready.
"""

import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from harness.simulator import cards, decoy, workers
from harness.simulator.effects import applied, parse
from harness.simulator.engine_flags import Engine, engine_of, parse_flags
from harness.simulator.faults import Fault, Faults
from harness.simulator.launches import count_start, speed_of
from harness.simulator.listening import serve
from harness.simulator.llamacpp_style import LlamaCppStyle
from harness.simulator.settings import Settings, acts_on, faults_table, option_parser, own_settings
from harness.simulator.start_failures import refusal
from harness.simulator.style import Style
from harness.simulator.vllm_style import ForkStyle, VllmStyle
from harness.simulator.workers import say

LOADING_SHARE = 0.5  # of a start that has gone by when it fails
HOLD_DEFAULT_MIB = 384
DECOY_LIFETIME_S = 120
STYLES: dict[str, Callable[[], Style]] = {"vllm": VllmStyle, "v100-fork": ForkStyle, "llamacpp": LlamaCppStyle}


@dataclass(frozen=True)
class Plan:
    """One start: everything decided before a process or a socket exists."""

    settings: Settings
    engine: Engine
    style: Style


def main(argv: Sequence[str] | None = None) -> None:
    """Start as told; returns when the server ended in good order, else exits with its status."""
    words, _ = option_parser().parse_known_args(argv)
    if words.list_faults:
        say(faults_table())
        return
    if words.hold_mib:
        decoy.hold(words.hold_mib, words.ends_with)
    try:
        plan = plan_of(sys.argv[1:] if argv is None else argv, os.environ)
    except ValueError as error:
        sys.stderr.write(f"api_server.py: {error}\n")
        raise SystemExit(2) from error
    signal.alarm(plan.settings.whole("lifetime-s"))
    if Fault.IGNORES_TERM in plan.settings.faults:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.exit(_run(plan))


def plan_of(words: Sequence[str], env: Mapping[str, str]) -> Plan:
    """Read a command line whole, and count the start. Raises ValueError with one sentence where it cannot be used."""
    parsed, rest = option_parser().parse_known_args(words)
    own = own_settings(parsed)
    start = count_start(str(own["launches-file"]))
    flags = parse_flags(str(own["style"]), rest)
    own, asked = applied(own, parsed.fault, [parse(one) for one in parsed.effect], flags, env)
    chosen = Faults.parse(list(asked))
    settings = Settings(own, flags, chosen if acts_on(str(own["fault-on"]), start) else Faults())
    if settings.number("time-scale") <= 0:
        raise ValueError("--time-scale must be above 0")
    name = settings.engine.get("served-model-name") or settings.engine.get("alias") or ""
    engine = engine_of(settings, env, speed_of(settings, start, name))
    return Plan(settings, engine, STYLES[settings.style]())


def _run(plan: Plan) -> int:
    settings, style = plan.settings, plan.style
    engine = _with_others(plan)
    say(*style.loading(engine, settings.engine))
    if (last_words := refusal(settings, engine)) is not None:
        time.sleep(settings.number("start-s") * settings.number("time-scale") * LOADING_SHARE)
        say(*last_words)
        return 1
    early = settings.faults.any(Fault.HEALTH_BEFORE_READY, Fault.EARLY_READY_LINE)
    opened = listener(settings, engine) if early else None
    held = workers.fork_workers(engine, settings, style)
    if path := settings.text("cards-file"):
        cards.write(Path(path), cards.at_work([worker.pid for worker in held], settings.faults))
    return serve(settings, engine, style, held, lambda: opened or listener(settings, engine))


def listener(settings: Settings, engine: Engine) -> socket.socket:
    """The server's socket, listening. Raises OSError where the port is taken."""
    host, port = engine.flags["host"], int(engine.flags["port"])
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    shared = settings.on("share-port") or Fault.STALE_SERVER_ON_PORT in settings.faults
    return socket.create_server((host, port), family=family, backlog=1024, reuse_port=shared)


def _with_others(plan: Plan) -> Engine:
    """Start the processes outside the tree that a fault needs, wait until they are there; the engine, with its port."""
    faults, engine = plan.settings.faults, plan.engine
    host, port = engine.flags["host"], int(engine.flags["port"])
    apart = ["--style", engine.style, "--time-scale", "0.01", "--host", host, "--share-port"]
    apart += ["--lifetime-s", str(DECOY_LIFETIME_S), "--ends-with", str(os.getpid())]
    if Fault.MEMORY_NOT_RETURNED in faults:
        decoy.start_holding(faults.number(Fault.MEMORY_NOT_RETURNED, HOLD_DEFAULT_MIB))
    if Fault.STALE_SERVER_ON_PORT in faults:
        port = port or decoy.free_port(host)
        decoy.start_apart([*apart, "--port", str(port)])
        decoy.wait_listening(host, port)
        return replace(engine, flags={**engine.flags, "port": str(port)})
    if Fault.FOREIGN_READY_LINE in faults:
        other = decoy.free_port(host)
        decoy.start_apart([*apart, "--port", str(other)])
        decoy.wait_listening(host, other)
        say(*plan.style.ready(engine, f"http://{host}:{other}", os.getpid()))
    return engine
