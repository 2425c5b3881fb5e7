"""One call to an OpenAI-compatible chat endpoint with the openai SDK; every expected failure comes back as a value.

The answer is asked for whole, not streamed: one JSON document with a stated length cannot be cut without being
noticed, while a stream that just ends looks like a short answer, its finish reason may be missing and its usage often
is. The body is read in raw pieces, so what came before a failure is kept.
"""

import asyncio
import math
import re
import socket
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpx2
import openai

from committee.review.lines import MAX_BODY_BYTES, Lines, RefusedError
from committee.review.order import Edge, Order
from committee.review.received import Received
from committee.vocabulary.config import AnswerFormat
from committee.vocabulary.exclusion import Reason

MAX_TRIES = 6  # with doubling waits from 0.5 s this is about 15 s of patience; Retry-After may ask for more
FIRST_WAIT_S = 0.5
MOST_WAIT_S = 86_400.0  # a day: longer than any wall clock of a call
# A server that cannot hold an answer to a schema is asked for less; what comes is judged here all the same.
LESS: Mapping[AnswerFormat, AnswerFormat] = {"json_schema": "json_object", "json_object": "none"}
NAMES_FORMAT = re.compile(rb"response_format|json_schema|json_object|structured.?output|grammar", re.IGNORECASE)
# The SDK's own way to an address; its method for this one walks through the whole request, which we have made already.
COMPLETIONS = "/chat/completions"
AS_IT_ARRIVES = openai.RequestOptions(headers={"X-Stainless-Raw-Response": "stream"}, security={"bearer_auth": True})
NO_KEY_HAS = re.compile(r"[^\x21-\x7e]")  # the same as `committee doctor` says beforehand
NO_KEY = "no-key"  # the SDK wants a word even where the server wants none


@dataclass(frozen=True)
class _Failed:
    reason: Reason
    detail: str
    raw: bytes = b""
    again_after_s: float | None = None  # none: trying again could cost twice or would not help
    went_out: bool = True  # whether the request may have reached the server
    asked_to_wait_s: float = 0.0  # the server's Retry-After


@dataclass
class _Sent:
    """The body as it arrives, and how often the request may have reached the server."""

    body: bytearray
    times: int = 0
    held_to: AnswerFormat = "none"  # what the request last asked the server to hold the answer to


async def call_openai(order: Order, base_url: str, edge: Edge, lines: Lines) -> Received:
    """Ask once, within the time that is left of the reviewer's wall clock.

    Sent again: 429 and 503 (after their Retry-After), and where no connection could be made; surely no model worked on
    those. Another status of 500 and above and a connection that broke come back as they are: a gateway says 502 or 504
    of an answer that was made and is paid for. Whoever sends those again does it as an attempt of its own.
    """
    reviewer, begun, sent = order.reviewer, time.monotonic(), _Sent(bytearray())
    key = edge.environ.get(reviewer.key_env, "") if reviewer.key_env else NO_KEY
    if not key:
        detail = f"the environment variable {reviewer.key_env!r} is not set, so nothing was sent"
        return Received("openai", b"", Reason.COULD_NOT_START, detail, sent=0)
    if NO_KEY_HAS.search(key):
        detail = f"the key in {reviewer.key_env!r} holds blanks, line ends or signs that no key has; export it anew"
        return Received("openai", b"", Reason.COULD_NOT_START, detail, sent=0)
    try:
        async with asyncio.timeout(order.limit_s):
            failed = await _within(order, await lines.sdk(base_url, key), sent)
    except TimeoutError:
        failed = _Failed(Reason.TIMED_OUT, f"no whole answer within {reviewer.timeout_s:g} s")
    elapsed_s = time.monotonic() - begun
    received = Received("openai", bytes(sent.body), elapsed_s=elapsed_s, sent=sent.times, held_to=sent.held_to)
    if failed is None:
        return received
    return replace(
        received,
        raw=failed.raw or received.raw,
        failure=failed.reason,
        detail=failed.detail,
        asked_to_wait_s=failed.asked_to_wait_s,
    )


async def _within(order: Order, client: openai.AsyncOpenAI, sent: _Sent) -> _Failed | None:
    """Once, and again while that surely costs nothing and there is time; none where the body came whole."""
    begun, sent.held_to = time.monotonic(), order.reviewer.answer_format
    for number in range(MAX_TRIES):
        request = request_of(order, sent.held_to)
        sent.body.clear()
        sent.times += 1
        failed = await _once(client, request, sent.body)
        if failed is None:
            return None
        sent.times -= not failed.went_out
        if _knows_no_format(failed) and (less := LESS.get(sent.held_to)):
            sent.held_to = less
            continue
        if failed.again_after_s is None:
            return failed
        wait_s = max(failed.again_after_s, FIRST_WAIT_S * 2**number)
        if number + 1 == MAX_TRIES or time.monotonic() - begun + wait_s >= order.limit_s:
            return failed
        await asyncio.sleep(wait_s)
    return None


def _knows_no_format(failed: _Failed) -> bool:
    """Whether the server refused the request and named what holds the answer to a form: no model worked on it."""
    return failed.reason is Reason.BAD_REQUEST and NAMES_FORMAT.search(failed.raw) is not None


def request_of(order: Order, held_to: AnswerFormat | None = None) -> dict[str, Any]:
    """The request's whole body, held to what the reviewer is held to or to less; `review --dry-run` shows it."""
    reviewer = order.reviewer
    held_to = held_to or reviewer.answer_format
    request: dict[str, Any] = {
        "model": reviewer.shown_model,
        "messages": [{"role": "user", "content": order.prompt}],
        "max_tokens": reviewer.max_tokens,
        "stream": False,
    }
    if reviewer.kind == "embedded":
        request["temperature"] = 0  # sampled words often miss the grammar; each miss costs a pass over the vocabulary
    if held_to == "json_schema":
        schema = {"name": "review", "schema": dict(order.schema)}
        request["response_format"] = {"type": "json_schema", "json_schema": schema}
    elif held_to == "json_object":
        request["response_format"] = {"type": "json_object"}
    return request


async def _once(client: openai.AsyncOpenAI, request: dict[str, Any], body: bytearray) -> _Failed | None:
    """One HTTP request; fills `body` as it arrives. None means that the body came whole."""
    try:
        answer = await client.post(COMPLETIONS, cast_to=httpx2.Response, body=request, options=AS_IT_ARRIVES)
        try:
            async for piece in answer.aiter_bytes():
                body += piece
                if len(body) > MAX_BODY_BYTES:
                    return _Failed(Reason.TOO_LONG, f"the body is longer than {MAX_BODY_BYTES} bytes")
        finally:
            await answer.aclose()
    except RefusedError as error:
        return _by_status(error.status, error.headers, error.body)
    except (openai.OpenAIError, httpx2.HTTPError, httpx2.InvalidURL, OSError, ValueError) as error:
        return _by_cause(error)
    return None


def _by_status(status: int, headers: Mapping[str, str], raw: bytes) -> _Failed:
    if status == 429:
        return _Failed(Reason.RATE_LIMITED, "status 429: too many requests", raw, retry_after_s(headers))
    if status == 503:
        return _Failed(Reason.UNAVAILABLE, "status 503: the server takes no requests", raw, retry_after_s(headers))
    if status >= 500:
        said = f"status {status}: the server failed"
        return _Failed(Reason.SERVER_ERROR, said, raw, asked_to_wait_s=retry_after_s(headers))
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
        if any(isinstance(link, socket.gaierror) for link in chain):
            detail = "no server of that name is known here (DNS)"
            return _Failed(Reason.NAME_NOT_FOUND, detail, again_after_s=0.0, went_out=False)
        detail = "no connection could be made"
        return _Failed(Reason.CONNECTION_FAILED, detail, again_after_s=0.0, went_out=False)
    kind = type(chain[-1]).__name__
    return _Failed(Reason.CONNECTION_FAILED, f"the connection broke before the answer was whole ({kind})")


def retry_after_s(headers: Mapping[str, str]) -> float:
    """Seconds that the server asks us to wait, given as such or as a date (RFC 9110, 10.2.3); nonsense counts as 0."""
    said = headers.get("retry-after", "0")
    try:
        wait_s = float(said)
    except ValueError:
        wait_s = _until_s(said)
    return min(max(wait_s, 0.0), MOST_WAIT_S) if math.isfinite(wait_s) else 0.0


def _until_s(date: str) -> float:
    try:
        when = parsedate_to_datetime(date)
        return (when.replace(tzinfo=when.tzinfo or UTC) - datetime.now(UTC)).total_seconds()
    except (ValueError, OverflowError):  # the second for a year, an hour or a zone that no number holds
        return 0.0
