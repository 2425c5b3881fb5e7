"""The simulated server's run from loading to its end: when the socket opens, when it says ready, how workers end."""

import asyncio
import os
import select
import signal
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress

from harness.simulator.engine_flags import Engine
from harness.simulator.faults import Fault
from harness.simulator.server import Server
from harness.simulator.settings import Settings
from harness.simulator.style import Style
from harness.simulator.workers import Worker, armed_counts, say

WORKER_GRACE_S = 5.0
POLL_S = 0.05


def serve(
    settings: Settings,
    engine: Engine,
    style: Style,
    workers: Sequence[Worker],
    opened: Callable[[], socket.socket],
) -> int:
    """Run until told to end; the exit status. `opened` gives the listening socket when it is time to open it."""
    return asyncio.run(_serve(settings, engine, style, workers, opened))


async def _serve(
    settings: Settings,
    engine: Engine,
    style: Style,
    workers: Sequence[Worker],
    opened: Callable[[], socket.socket],
) -> int:
    loop = asyncio.get_running_loop()
    server = Server(settings, engine, style, workers, loop.create_future())
    for worker in workers:
        loop.add_reader(worker.pidfd, server.worker_gone, worker)
    if Fault.IGNORES_TERM not in settings.faults:
        loop.add_signal_handler(signal.SIGTERM, server.end, 0)
    loop.add_signal_handler(signal.SIGINT, server.end, 0)
    tasks = [asyncio.ensure_future(server.regular()), asyncio.ensure_future(server.watch_other())]
    tasks.append(asyncio.ensure_future(_become_ready(server, opened)))
    status = await server.status
    for task in tasks:
        task.cancel()
    await _end_workers(server)
    return status


async def _become_ready(server: Server, opened: Callable[[], socket.socket]) -> None:
    """Load for the rest of the start, then open the socket and say so; in another order where a fault says so."""
    settings, style, engine, faults = server.settings, server.style, server.engine, server.settings.faults
    early = faults.any(Fault.HEALTH_BEFORE_READY, Fault.EARLY_READY_LINE)
    url = ""
    if early:
        server.service.ready = False
        url = await server.listen(opened())
    if Fault.EARLY_READY_LINE in faults:
        say(*style.ready(engine, url, os.getpid()))
    await asyncio.sleep(settings.number("start-s") * settings.number("time-scale"))
    say(*style.loaded(engine, armed_counts(engine, settings)))
    if faults.any(Fault.NEVER_READY, Fault.FOREIGN_READY_LINE):
        return
    if not early:
        try:
            url = await server.listen(opened())
        except OSError as error:
            say(f"OSError: [Errno {error.errno}] {error.strerror}")
            server.end(1)
            return
    server.service.ready = True
    if Fault.EARLY_READY_LINE not in faults:
        say(*style.ready(engine, url, os.getpid()))


async def _end_workers(server: Server) -> None:
    """End the workers, as far as they let themselves be ended."""
    for worker in server.workers:
        with suppress(OSError):
            signal.pidfd_send_signal(worker.pidfd, signal.SIGTERM)
        os.close(worker.orders)
    if server.settings.faults.any(Fault.ORPHAN_WORKERS, Fault.IGNORES_TERM):
        return
    for worker in server.workers:
        for _ in range(int(WORKER_GRACE_S / POLL_S)):
            if select.select([worker.pidfd], [], [], 0)[0]:
                break
            await asyncio.sleep(POLL_S)
