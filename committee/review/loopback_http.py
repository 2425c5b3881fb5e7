"""A very small HTTP/1.1 server for the loopback address: one request a connection, JSON in and bytes out.

It carries recorded reviews and, in tests, servers that misbehave. It is no general server and listens nowhere else.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from harness.procfs import json_of

MAX_REQUEST_BYTES = 8_000_000  # a prompt with a whole kernel folder stays far below this
READ_TIMEOUT_S = 30.0  # a client that does not finish its request is let go
HOST = "127.0.0.1"


@dataclass(frozen=True)
class HttpRequest:
    """One request as read."""

    method: str
    path: str
    headers: Mapping[str, str]  # names in lower case
    body: bytes

    def json(self) -> dict[str, Any]:
        """The body as a JSON object, empty when it is none."""
        try:
            value = json_of(self.body)
        except ValueError:
            return {}
        return value if isinstance(value, dict) else {}


Respond = Callable[[HttpRequest, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def serving(respond: Respond, port: int = 0) -> AsyncIterator[str]:
    """Serve on the loopback address; yields the base URL, ending in /v1. Open connections are dropped at the end."""
    open_tasks: set[asyncio.Task[None]] = set()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            open_tasks.add(task)
            task.add_done_callback(open_tasks.discard)
        try:
            async with asyncio.timeout(READ_TIMEOUT_S):
                request = await _read(reader)
            if request is not None:
                await respond(request, writer)
        except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError):
            pass  # the client went away or spoke no HTTP; there is nobody to tell
        finally:
            writer.close()

    server = await asyncio.start_server(connected, HOST, port)
    try:
        yield f"http://{HOST}:{server.sockets[0].getsockname()[1]}/v1"
    finally:
        server.close()
        for task in open_tasks:
            task.cancel()
        await asyncio.gather(*open_tasks, return_exceptions=True)
        await server.wait_closed()


def response(status: int, body: bytes, headers: Mapping[str, str] | None = None) -> bytes:
    """A whole response with its length; JSON unless the headers say otherwise."""
    fields = {"content-type": "application/json", "content-length": str(len(body)), "connection": "close"}
    lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}"]
    lines += [f"{name}: {value}" for name, value in (fields | dict(headers or {})).items()]
    return "\r\n".join([*lines, "", ""]).encode() + body


async def _read(reader: asyncio.StreamReader) -> HttpRequest | None:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.rstrip("\r\n").split("\r\n")
    method, path, _version = first.split(" ", 2)
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    size = int(headers.get("content-length", "0"))
    if not 0 <= size <= MAX_REQUEST_BYTES:
        return None
    return HttpRequest(method, path, headers, await reader.readexactly(size))
