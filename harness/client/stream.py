"""Send one request and record what came back. One connection a request: reused ones failed in 7 of 68 launches.

The only border where transport errors become values: every failure of a request ends in a `RequestRecord`.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Literal

import httpx

from harness.client.record import RequestRecord
from harness.client.sse import Arrival, Reading, read
from harness.vocabulary.base import Scalar
from harness.vocabulary.outcome import Reason

SEED = 1  # temperature 0 needs none; engines that ignore temperature 0 get a fixed one
# One event may carry several tokens (speculative decoding drafts up to 16); more means the count is not the text's.
MAX_TOKENS_PER_EVENT = 17


@dataclass(frozen=True)
class Ask:
    """One request: exactly `tokens` tokens after `prompt`, at temperature 0."""

    prompt: str
    tokens: int
    timeout_s: float  # wall clock around the whole request


@dataclass(frozen=True)
class Door:
    """Where and how a server is asked."""

    base_url: str
    api: Literal["chat", "completions"]
    model: str
    sampling: Callable[[int], tuple[tuple[str, Scalar], ...]]  # the engine's words for "exactly n tokens, cold"

    @property
    def url(self) -> str:
        """The address requests go to."""
        return f"{self.base_url.rstrip('/')}/v1/{'chat/completions' if self.api == 'chat' else 'completions'}"

    def body(self, ask: Ask) -> dict[str, object]:
        """The JSON that is sent."""
        asked: dict[str, object] = {
            "model": self.model,
            "temperature": 0,
            "seed": SEED,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        if self.api == "chat":
            asked["messages"] = [{"role": "user", "content": ask.prompt}]
        else:
            asked["prompt"] = ask.prompt
        return asked | dict(self.sampling(ask.tokens))


@asynccontextmanager
async def connections() -> AsyncIterator[httpx.AsyncClient]:
    """A client that opens a fresh connection for every request and reads no setting of the environment."""
    limits = httpx.Limits(max_keepalive_connections=0, max_connections=None)
    async with httpx.AsyncClient(
        verify=False,  # noqa: S501 - plain http on the target host; loading certificates takes 20 ms
        trust_env=False,
        limits=limits,
        timeout=None,  # noqa: S113 - the wall clock around the whole request is in `send`
        headers={"Connection": "close", "Accept-Encoding": "identity"},
    ) as client:
        yield client


async def send(client: httpx.AsyncClient, door: Door, ask: Ask) -> RequestRecord:
    """Send one request and wait for its end, at most `ask.timeout_s` seconds."""
    arrivals: list[Arrival] = []
    t_send = time.perf_counter()
    try:
        async with asyncio.timeout(ask.timeout_s):
            failure = await _receive(client, door, ask, arrivals)
    except TimeoutError:
        failure = f"no end within {ask.timeout_s:g} s"
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        failure = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    t_end = time.perf_counter()
    return judged(t_send, t_end, ask, read(arrivals), failure)


async def _receive(client: httpx.AsyncClient, door: Door, ask: Ask, arrivals: list[Arrival]) -> str | None:
    async with client.stream("POST", door.url, json=door.body(ask)) as response:
        if response.status_code != 200:
            body = (await response.aread()).decode("utf-8", errors="replace")
            return f"status {response.status_code}: {' '.join(body.split())[:200]}"
        async for data in response.aiter_raw():
            arrivals.append(Arrival(time.perf_counter(), data))
    return None


def judged(t_send: float, t_end: float, ask: Ask, reading: Reading, failure: str | None) -> RequestRecord:
    """The record of a request whose stream was read; pure."""
    reason, detail = _complaint(ask, reading, failure)
    return RequestRecord(
        t_send=t_send,
        t_end=t_end,
        reason=reason,
        detail=detail,
        text=reading.text,
        stamps=reading.stamps,
        prompt_tokens=reading.prompt_tokens or 0,
        cached_tokens=reading.cached_tokens,
        tokens=reading.tokens or 0,
        finish_reason=reading.finish_reason,
    )


def _complaint(ask: Ask, reading: Reading, failure: str | None) -> tuple[Reason | None, str]:
    """Why the answer cannot be used, or none. The order matters: the first cause, not its consequences."""
    if failure:
        return Reason.REQUEST_FAILED, failure
    if reading.error:
        return Reason.REQUEST_FAILED, f"the server reported an error inside the stream: {reading.error}"
    if reading.broken:
        return Reason.REQUEST_FAILED, reading.broken
    if reading.finish_reason is None:
        return Reason.REQUEST_FAILED, f"the stream ended after {len(reading.stamps)} events without a finish reason"
    if reading.tokens is None:
        return Reason.COUNT_MISMATCH, "the server sent no usage, so its count of tokens is unknown"
    if reading.tokens < ask.tokens:
        return Reason.TOO_FEW_TOKENS, f"{reading.tokens} tokens came of {ask.tokens} asked for"
    events, size = len(reading.stamps), len(reading.text.encode())
    if (
        reading.tokens > ask.tokens
        or events > reading.tokens
        or reading.tokens > events * MAX_TOKENS_PER_EVENT
        or (reading.tokens > size and not reading.tool_calls)  # a token is at least one byte of text
    ):
        return Reason.COUNT_MISMATCH, (
            f"the server counted {reading.tokens} tokens of {ask.tokens} asked for, "
            f"but {events} events with {size} bytes of text came"
        )
    return None, ""
