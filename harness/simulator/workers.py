"""The worker processes of the simulated server: real ones, forked before the parent listens, one pidfd each.

A worker attaches kernels, says so in the log, keeps memory if told to, and ends with its parent unless a fault says no.
"""

import ctypes
import mmap
import os
import select
import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.simulator.engine_flags import Engine
from harness.simulator.faults import Fault, Faults
from harness.simulator.settings import Settings
from harness.simulator.style import Style

PR_SET_PDEATHSIG = 1
WARM_UP_REQUESTS = 20  # over which a worker takes what it needs to be warm
REPORT_TIMEOUT_S = 30.0
TILE_KERNEL = "TILE128"


@dataclass(frozen=True)
class Worker:
    """One worker as the parent holds it."""

    rank: int
    pid: int
    pidfd: int
    orders: int  # a byte for every request, as long as the parent lives


def say(*lines: str) -> None:
    """Lines of the server's own log, at once."""
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()


def markers_of(engine: Engine, settings: Settings, rank: int) -> tuple[str, ...]:
    """The kernels whose marker this worker prints, with the faults that spoil it."""
    faults = settings.faults
    names = _kernels(engine, settings) if engine.kernels else ()
    last = engine.workers - 1
    if Fault.UNARMED in faults or (Fault.MARKER_MISSING_ON_ONE in faults and rank == last):
        names = ()
    if Fault.MARKER_TWICE in faults and rank in (0, last):
        names = names * 2 if rank == 0 else ()
    if engine.tile or Fault.SELF_ARMED in faults:
        names += (TILE_KERNEL,)
    return names


def armed_counts(engine: Engine, settings: Settings) -> dict[str, int]:
    """Kernel -> number of workers that attached it, as the parent would report it."""
    found = dict.fromkeys(_kernels(engine, settings), 0)
    if Fault.MARKER_IN_WRONG_LOG in settings.faults:
        return {}
    for rank in range(engine.workers):
        for name in set(markers_of(engine, settings, rank)):
            found[name] = found.get(name, 0) + 1
    return found


def _kernels(engine: Engine, settings: Settings) -> tuple[str, ...]:
    """Hand-written kernels that this build has; only the fork has any."""
    return tuple(name for name in settings.text("markers").split(",") if name) if engine.style == "v100-fork" else ()


def fork_workers(engine: Engine, settings: Settings, style: Style) -> tuple[Worker, ...]:
    """Start all workers and wait until each has loaded."""
    workers: list[Worker] = []
    report_in, report_out = os.pipe()
    parent = os.getpid()
    for rank in range(engine.workers):
        orders_in, orders_out = os.pipe()
        pid = os.fork()
        if pid == 0:
            try:
                for other in (report_in, orders_out, *(worker.orders for worker in workers)):
                    os.close(other)
                _work(engine, settings, style, _Pipes(rank, parent, orders_in, report_out))
            finally:
                os._exit(1)
        os.close(orders_in)
        workers.append(Worker(rank, pid, os.pidfd_open(pid), orders_out))
    os.close(report_out)
    _wait_loaded(report_in, len(workers))
    return tuple(workers)


@dataclass(frozen=True)
class _Pipes:
    """What a worker knows of its parent."""

    rank: int
    parent: int
    orders: int
    report: int


def _wait_loaded(report: int, count: int) -> None:
    """Read one byte a worker; whoever is silent for too long is simply not waited for."""
    seen = 0
    while seen < count and select.select([report], [], [], REPORT_TIMEOUT_S)[0]:
        data = os.read(report, count)
        if not data:
            break
        seen += len(data)
    os.close(report)


def _work(engine: Engine, settings: Settings, style: Style, pipes: _Pipes) -> None:
    faults = settings.faults
    signal.alarm(settings.whole("lifetime-s"))
    _belong(pipes.parent, faults)
    if Fault.ERASED_ENVIRONMENT in faults:
        erase_own_memory()
    kept: list[object] = []  # what it must not let go of while it lives
    _map_object(settings, pipes.rank, engine.workers, kept)
    lines = list(style.worker(engine, pipes.rank, os.getpid(), markers_of(engine, settings, pipes.rank)))
    if Fault.MARKER_IN_WRONG_LOG in faults:
        lines = _to_wrong_log(settings, lines)
    say(*lines)
    os.write(pipes.report, b"+")
    os.close(pipes.report)
    _serve_orders(settings, pipes, kept, grows=pipes.rank == engine.workers - 1)
    if Fault.ORPHAN_WORKERS in faults:
        while True:
            signal.pause()
    os._exit(0)


def _belong(parent: int, faults: Faults) -> None:
    """End with the parent, or, as a fault, stay."""
    if faults.any(Fault.ORPHAN_WORKERS, Fault.IGNORES_TERM):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    else:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if Fault.ORPHAN_WORKERS in faults:
        os.setsid()
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        return
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(0)


def _map_object(settings: Settings, rank: int, workers: int, kept: list[object]) -> None:
    """Map a file executable, as a loaded shared object is; it then stands in /proc/PID/maps."""
    path = settings.text("object")
    if not path or (Fault.OLD_OBJECT_ON_ONE in settings.faults and rank == workers - 1):
        return
    with Path(path).open("rb") as file:
        kept.append(mmap.mmap(file.fileno(), 0, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ | mmap.PROT_EXEC))


def _to_wrong_log(settings: Settings, lines: Sequence[str]) -> list[str]:
    """Write the marker lines elsewhere; what is left for the own log."""
    path = settings.text("wrong-log")
    wrong = [line for line in lines if "_READY" in line]
    if path:
        with Path(path).open("a", encoding="utf-8") as out:
            out.write("".join(f"{line}\n" for line in wrong))
    return [line for line in lines if line not in wrong]


def _serve_orders(settings: Settings, pipes: _Pipes, kept: list[object], *, grows: bool) -> None:
    """One byte a request until the parent is gone."""
    leak, warm = int(settings.number("leak-kib") * 1024), int(settings.number("warm-up-mib") * 2**20)
    served = 0
    while data := os.read(pipes.orders, 4096):
        for _ in data:
            served += 1
            if grows and leak:
                kept.append(_touched(leak))
            if warm and served <= WARM_UP_REQUESTS:
                kept.append(_touched(warm // WARM_UP_REQUESTS))


def _touched(size: int) -> bytearray:
    """Memory that is really there: every page written."""
    return bytearray(b"\x01") * size


def erase_own_memory() -> None:
    """Write over the command line and environment that the kernel shows, as servers that set their own title do."""
    fields = Path("/proc/self/stat").read_bytes().rpartition(b")")[2].split()
    for first in (45, 47):  # fields 48 to 51 of proc(5): arg_start, arg_end, env_start, env_end
        start, end = int(fields[first]), int(fields[first + 1])
        ctypes.memset(start, 0, end - start)
