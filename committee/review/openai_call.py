"""One call to an OpenAI-compatible chat endpoint with the openai SDK; every expected failure comes back as a value.

The answer is asked for whole, not streamed: one JSON document with a stated length cannot be cut without being
noticed, while a stream that just ends looks like a short answer, its finish reason may be missing and its usage often
is. The body is read in raw pieces, so what came before a failure is kept.
"""

import asyncio
import ssl
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx2
import openai

from committee.review.order import Edge, Order
from committee.review.received import Received
from committee.vocabulary.config import LOOPBACK
from committee.vocabulary.exclusion import Reason

MAX_BODY_BYTES = 4_000_000  # thinking included; a longer body is not a review
MAX_TRIES = 6  # with doubling waits from 0.5 s this is about 15 s of patience; Retry-After may ask for more
FIRST_WAIT_S = 0.5
SENT_HEADERS = (
    "host", "content-type", "content-length", "accept", "accept-encoding", "connection", "user-agent", "authorization",
)  # fmt: skip
NO_KEY = "no-key"  # the SDK wants a word even where the server wants none


@dataclass(frozen=True)
class _Failed:
    reason: Reason
    detail: str
    raw: bytes = b""
    again_after_s: float | None = None  # none: trying again could cost twice or would not help
    went_out: bool = True  # whether the request may have reached the server


async def call_openai(order: Order, base_url: str, edge: Edge) -> Received:
    """Ask once, within the reviewer's wall clock. Only what surely no model worked on is sent again.

    Sent again: 429 and 503 (after their Retry-After), and where no connection could be made. Never another status: a
    gateway says 502 or 504 of an answer that was made and is paid for. And never after a connection that broke.
    """
    reviewer, begun, body, sent = order.reviewer, time.monotonic(), bytearray(), 0
    key = edge.environ.get(reviewer.key_env, "") if reviewer.key_env else NO_KEY
    if not key:
        detail = f"the environment variable {reviewer.key_env!r} is not set"
        return Received("openai", b"", Reason.UNAUTHORISED, detail, sent=0)
    failed = _Failed(Reason.TIMED_OUT, f"no whole answer within {reviewer.timeout_s:g} s")
    overtime = failed
    try:
        async with asyncio.timeout(reviewer.timeout_s), _client(base_url, key) as client:
            for number in range(MAX_TRIES):
                body.clear()
                sent += 1
                ended = await _once(client, request_of(order), body)
                if ended is None:
                    return Received("openai", bytes(body), elapsed_s=time.monotonic() - begun, sent=sent)
                failed = ended
                sent -= not failed.went_out
                if failed.again_after_s is None:
                    break
                wait_s = max(failed.again_after_s, FIRST_WAIT_S * 2**number)
                if number + 1 == MAX_TRIES or time.monotonic() - begun + wait_s >= reviewer.timeout_s:
                    break
                await asyncio.sleep(wait_s)
    except TimeoutError:
        failed = overtime
    elapsed_s = time.monotonic() - begun
    return Received("openai", failed.raw or bytes(body), failed.reason, failed.detail, elapsed_s, sent)


@asynccontextmanager
async def _client(base_url: str, key: str) -> AsyncIterator[openai.AsyncOpenAI]:
    """Our own transport: no redirects (the prompt goes to the configured server only), no limit per read."""
    loopback = urlsplit(base_url).hostname in LOOPBACK
    hooks: dict[str, list[Callable[..., Any]]] = {"request": [_strip], "response": [_mark]}
    async with httpx2.AsyncClient(
        timeout=None, follow_redirects=False, trust_env=not loopback, event_hooks=hooks
    ) as http:
        yield openai.AsyncOpenAI(
            api_key=key,
            base_url=base_url,
            max_retries=0,
            timeout=None,
            http_client=http,
            organization="",
            project="",
        )


async def _strip(request: httpx2.Request) -> None:
    """The SDK tells the operating system, the processor and versions of this machine; nobody needs them."""
    for name in set(request.headers) - set(SENT_HEADERS):
        del request.headers[name]
    request.headers["user-agent"] = "committee"


async def _mark(response: httpx2.Response) -> None:
    """The SDK reads in its own request's headers that it was asked for a stream; this one was not sent."""
    response.request.headers["x-stainless-raw-response"] = "stream"


def request_of(order: Order) -> dict[str, Any]:
    """The request's whole body; `review --dry-run` shows it."""
    reviewer = order.reviewer
    request: dict[str, Any] = {
        "model": reviewer.shown_model,
        "messages": [{"role": "user", "content": order.prompt}],
        "max_tokens": reviewer.max_tokens,
        "stream": False,
    }
    if reviewer.kind == "embedded":
        request["temperature"] = 0  # sampled words often miss the grammar; each miss costs a pass over the vocabulary
    if reviewer.answer_format == "json_schema":
        schema = {"name": "review", "schema": dict(order.schema)}
        request["response_format"] = {"type": "json_schema", "json_schema": schema}
    elif reviewer.answer_format == "json_object":
        request["response_format"] = {"type": "json_object"}
    return request


async def _once(client: openai.AsyncOpenAI, request: dict[str, Any], body: bytearray) -> _Failed | None:
    """One HTTP request; fills `body` as it arrives. None means that the body came whole."""
    try:
        async with client.chat.completions.with_streaming_response.create(**request) as answer:
            async for piece in answer.iter_bytes():
                body += piece
                if len(body) > MAX_BODY_BYTES:
                    return _Failed(Reason.TOO_LONG, f"the body is longer than {MAX_BODY_BYTES} bytes")
    except openai.APIStatusError as error:
        return _by_status(error.status_code, error.response.headers, error.response.content)
    except (openai.OpenAIError, httpx2.HTTPError, httpx2.InvalidURL, OSError, ValueError) as error:
        return _by_cause(error)
    return None


def _by_status(status: int, headers: Mapping[str, str], raw: bytes) -> _Failed:
    raw = raw[:MAX_BODY_BYTES]
    if status == 429:
        return _Failed(Reason.RATE_LIMITED, "status 429: too many requests", raw, _retry_after_s(headers))
    if status == 503:
        return _Failed(Reason.UNAVAILABLE, "status 503: the server takes no requests", raw, _retry_after_s(headers))
    if status >= 500:
        return _Failed(Reason.SERVER_ERROR, f"status {status}: the server failed", raw)
    if status in (401, 403):
        return _Failed(Reason.UNAUTHORISED, f"status {status}: the key is not accepted", raw)
    if status == 404:
        return _Failed(Reason.MODEL_NOT_FOUND, "status 404: no such address or model", raw)
    return _Failed(Reason.BAD_REQUEST, f"status {status}: the request was not accepted", raw)


def _by_cause(error: BaseException) -> _Failed:
    chain = [error]
    while (earlier := chain[-1].__cause__ or chain[-1].__context__) is not None and earlier not in chain:
        chain.append(earlier)
    if any(isinstance(link, httpx2.ConnectError) for link in chain):
        if any(isinstance(link, ssl.SSLError) for link in chain) or "CERTIFICATE_VERIFY_FAILED" in str(chain[-1]):
            return _Failed(Reason.TLS_FAILED, "the server could not prove who it is (TLS)", went_out=False)
        detail = "no connection could be made"
        return _Failed(Reason.CONNECTION_FAILED, detail, again_after_s=0.0, went_out=False)
    kind = type(chain[-1]).__name__
    return _Failed(Reason.CONNECTION_FAILED, f"the connection broke before the answer was whole ({kind})")


def _retry_after_s(headers: Mapping[str, str]) -> float:
    """Seconds that the server asks us to wait; dates and nonsense count as 0, so our own waits apply."""
    try:
        return min(max(float(headers.get("retry-after", "0")), 0.0), 86_400.0)
    except ValueError:
        return 0.0
