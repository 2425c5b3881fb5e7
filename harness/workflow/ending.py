"""The certain parts of a launch: what was started is held, and what is held is stopped, whatever happens."""

import asyncio
import time
from collections.abc import Coroutine
from typing import Any, TypeVar

from harness.gates.words import last_words
from harness.hosts.base import GuardedHost, Held, NotStarted, ServerSpec

T = TypeVar("T")
DEATH_WAIT_S = 1.0  # sockets close before a dying process counts as gone; a crash dump takes longer but keeps it alive
POLL_S = 0.05


async def certainly(work: Coroutine[Any, Any, T], answer: type | tuple[()] = ()) -> T:
    """Finish `work` even when this task is cancelled meanwhile; the cancellation is raised afterwards.

    A result of the type `answer` says more than that, and is returned instead.
    """
    task = asyncio.ensure_future(work)
    cancelled = await _settled(task)
    result = task.result()
    if cancelled is not None and not isinstance(result, answer):
        raise cancelled
    return result


async def start_held(host: GuardedHost, spec: ServerSpec) -> Held | NotStarted:
    """Start a server; when cancelled half way, wait until it is held, stop it, and only then give up."""
    task = asyncio.ensure_future(host.start(spec))
    cancelled = await _settled(task)
    started = task.result()
    if cancelled is None:
        return started
    if isinstance(started, Held):
        await certainly(host.stop(started, spec.grace_s))
    raise cancelled


async def _settled(task: asyncio.Future[Any]) -> asyncio.CancelledError | None:
    """Wait until `task` is done, whoever cancels the waiting; returns the cancellation that came meanwhile."""
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError as error:
            cancelled = error
    return cancelled


async def death(host: GuardedHost, server: Held) -> str | None:
    """The last words of a server that is gone or goes within a moment; none if it lives on."""
    deadline = time.monotonic() + DEATH_WAIT_S
    while await host.alive(server):
        if time.monotonic() > deadline:
            return None
        await asyncio.sleep(POLL_S)
    return f"the server ended: {last_words(await host.read_log(server))}"
