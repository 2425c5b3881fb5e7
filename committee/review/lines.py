"""What calls share: how many may be on their way to one endpoint at once, and one client for each.

A client is shared, a connection is not: every call opens its own, because a server may close a kept one just while the
next request goes out, and then nobody knows whether it was read.
"""

import asyncio
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, aclosing, asynccontextmanager, suppress
from typing import Any
from urllib.parse import urlsplit

import httpx2
import openai

from committee.vocabulary.config import LOOPBACK, Reviewer

SENT_HEADERS = (
    "host", "content-type", "content-length", "accept", "accept-encoding", "connection", "user-agent", "authorization",
)  # fmt: skip
MAX_BODY_BYTES = 4_000_000  # thinking included; a longer body is not a review
DEFAULT_PORTS = {"http": 80, "https": 443}
EMBEDDED_AT_ONCE = 1  # a model on this CPU: two at once would be slower than one after the other


class RefusedError(Exception):
    """An answer whose status is no success, with as much of its body as is kept."""

    def __init__(self, status: int, headers: httpx2.Headers, body: bytes) -> None:
        super().__init__(f"status {status}")
        self.status, self.headers, self.body = status, headers, body


class Lines:
    """One for all branches of a process."""

    def __init__(self, calls_per_endpoint: int, stack: AsyncExitStack) -> None:
        self.calls_per_endpoint = calls_per_endpoint
        self._stack = stack
        self._slots: dict[str, asyncio.Semaphore] = {}
        self._clients: dict[str, httpx2.AsyncClient] = {}
        self._sdks: dict[tuple[str, str], openai.AsyncOpenAI] = {}
        self._trust: ssl.SSLContext | None = None

    def slot(self, reviewer: Reviewer) -> asyncio.Semaphore:
        """To be held for the length of one call: reviewers of one endpoint share its limit."""
        endpoint = endpoint_of(reviewer)
        if endpoint not in self._slots:
            at_once = EMBEDDED_AT_ONCE if reviewer.kind == "embedded" else self.calls_per_endpoint
            self._slots[endpoint] = asyncio.Semaphore(at_once)
        return self._slots[endpoint]

    async def sdk(self, base_url: str, key: str) -> openai.AsyncOpenAI:
        """The SDK over the endpoint's own transport, with none of its own retries, limits and defaults.

        One for all calls with this key: a new one asks for the platform in a thread and copies all its settings.
        """
        if (base_url, key) not in self._sdks:
            self._sdks[base_url, key] = openai.AsyncOpenAI(
                api_key=key,
                base_url=base_url,
                max_retries=0,
                timeout=None,
                http_client=await self._client(base_url),
                organization="",
                project="",
            )
        return self._sdks[base_url, key]

    async def _client(self, base_url: str) -> httpx2.AsyncClient:
        """The endpoint's client: no redirects (the prompt goes to the configured server only), no limit per read."""
        parts = urlsplit(base_url)
        origin = f"{parts.scheme}://{parts.netloc}"
        if origin not in self._clients:
            hooks: dict[str, list[Callable[..., Any]]] = {"request": [_strip], "response": [_refuse]}
            client = httpx2.AsyncClient(
                event_hooks=hooks,
                timeout=None,
                follow_redirects=False,
                trust_env=parts.hostname not in LOOPBACK,
                verify=self._trusted() if parts.scheme == "https" else False,
                limits=httpx2.Limits(max_connections=None, max_keepalive_connections=0),
            )
            self._clients[origin] = await self._stack.enter_async_context(client)
        return self._clients[origin]

    def _trusted(self) -> ssl.SSLContext:
        """Read once: reading the list of authorities takes longer than some calls."""
        if self._trust is None:
            self._trust = httpx2.create_ssl_context()
        return self._trust


def endpoint_of(reviewer: Reviewer) -> str:
    """What a limit belongs to: host and port of an API, an agent's program, this machine's recordings or its model."""
    if reviewer.kind == "openai":
        parts = urlsplit(reviewer.base_url)
        return f"{(parts.hostname or '').rstrip('.')}:{parts.port or DEFAULT_PORTS.get(parts.scheme)}"
    return f"{reviewer.kind} {reviewer.argv[0]}" if reviewer.kind == "command" else reviewer.kind


@asynccontextmanager
async def lines(calls_per_endpoint: int) -> AsyncIterator[Lines]:
    """Lines that are closed when the block ends."""
    async with AsyncExitStack() as stack:
        yield Lines(calls_per_endpoint, stack)


async def _strip(request: httpx2.Request) -> None:
    """The SDK tells the operating system, the processor and versions of this machine; nobody needs them."""
    for name in set(request.headers) - set(SENT_HEADERS):
        del request.headers[name]
    request.headers["user-agent"] = "committee"


async def _refuse(response: httpx2.Response) -> None:
    """The SDK would read the body of a refusal whole, however long, unpacked and as whatever text it says to be.

    Raises RefusedError. A body that breaks off, or cannot be unpacked, leaves the status that was said before it.
    """
    if response.is_success:
        return
    body = bytearray()
    with suppress(httpx2.HTTPError):
        async with aclosing(response.aiter_bytes()) as pieces:
            async for piece in pieces:
                body += piece
                if len(body) >= MAX_BODY_BYTES:
                    break
    raise RefusedError(response.status_code, response.headers, bytes(body))
