"""HTTP/1.1 as far as the simulator needs it: read a request, answer whole or as chunks. Standard library only."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from harness.procfs import json_of

MAX_HEAD_BYTES = 2**16
MAX_BODY_BYTES = 64 * 2**20  # a document of millions of tokens still fits
WORDS = {200: "OK", 400: "Bad Request", 404: "Not Found", 500: "Internal Server Error", 503: "Service Unavailable"}


@dataclass(frozen=True)
class Request:
    """One request."""

    method: str
    path: str  # without its query
    body: bytes
    keep_alive: bool
    peer: str  # host:port

    def json(self) -> Mapping[str, Any] | None:
        """The JSON object of its body; none if it is not one."""
        try:
            value = json_of(self.body or b"{}")
        except ValueError:
            return None
        return value if isinstance(value, dict) else None


async def read_request(reader: asyncio.StreamReader, peer: str) -> Request | None:
    """The next request of a connection; none when the client has closed it or speaks something else."""
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head.split("\r\n")
        method, target, version = first.split(" ", 2)
        headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        length = int(headers.get("content-length", "0"))
        if length > MAX_BODY_BYTES:
            return None
        body = await reader.readexactly(length)
    except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, ConnectionError, ValueError):
        return None
    keep = version.strip() == "HTTP/1.1" and headers.get("connection", "").lower() != "close"
    return Request(method, target.partition("?")[0], body, keep, peer)


def head(status: int, kind: str, length: int | None, keep_alive: bool) -> bytes:
    """The head of an answer; without a length it is sent in chunks."""
    size = "Transfer-Encoding: chunked" if length is None else f"Content-Length: {length}"
    alive = "keep-alive" if keep_alive else "close"
    text = f"HTTP/1.1 {status} {WORDS.get(status, '')}\r\nContent-Type: {kind}\r\n{size}\r\nConnection: {alive}\r\n\r\n"
    return text.encode()


def chunk(data: bytes) -> bytes:
    """One chunk of a body whose length is not known beforehand; nothing for no data."""
    return b"%x\r\n%b\r\n" % (len(data), data) if data else b""


LAST_CHUNK = b"0\r\n\r\n"
