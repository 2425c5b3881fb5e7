"""Send one request and record what came back. One connection a request: reused ones failed in 7 of 68 launches.

The only border where transport errors become values: every failure of a request ends in a `RequestRecord`.
"""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import httpx

from harness.client.ask import Ask, Door
from harness.client.judge import Times, judged
from harness.client.record import RequestRecord, ToolCall
from harness.client.sse import Arrival, read

__all__ = ["Ask", "Client", "Door", "RequestRecord", "ToolCall", "connections", "send"]


@dataclass(frozen=True)
class Client:
    """What `connections` gives and `send` takes; its inside belongs to this package."""

    _http: httpx.AsyncClient


@asynccontextmanager
async def connections() -> AsyncIterator[Client]:
    """A client that opens a fresh connection for every request and reads no setting of the environment."""
    limits = httpx.Limits(max_keepalive_connections=0, max_connections=None)
    async with httpx.AsyncClient(
        verify=False,  # noqa: S501 - plain http on the target host; loading certificates takes 20 ms
        trust_env=False,
        limits=limits,
        timeout=None,  # noqa: S113 - the wall clock around the whole request is in `send`
        headers={"Connection": "close", "Accept-Encoding": "identity"},
    ) as client:
        yield Client(client)


async def send(client: Client, door: Door, ask: Ask) -> RequestRecord:
    """Send one request and wait for its end, at most `ask.timeout_s` seconds."""
    arrivals: list[Arrival] = []
    if ask.due is not None:
        await asyncio.sleep(max(0.0, ask.due - time.perf_counter()))
    t_send = time.perf_counter()
    try:
        async with asyncio.timeout(ask.timeout_s):
            failure = await _receive(client._http, door, ask, arrivals)
    except TimeoutError:
        failure = f"no end within {ask.timeout_s:g} s"
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        failure = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    t_end = time.perf_counter()
    times = Times(t_send if ask.due is None else ask.due, t_send, t_end)
    return judged(times, ask, read(arrivals), failure)


async def _receive(client: httpx.AsyncClient, door: Door, ask: Ask, arrivals: list[Arrival]) -> str | None:
    async with client.stream("POST", door.url_of(ask.path), json=door.body(ask)) as response:
        if response.status_code != 200:
            body = (await response.aread()).decode("utf-8", errors="replace")
            return f"status {response.status_code}: {' '.join(body.split())[:200]}"
        async for data in response.aiter_raw():
            arrivals.append(Arrival(time.perf_counter(), data))
    return None
