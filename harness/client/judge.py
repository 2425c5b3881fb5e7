"""From a stream that was read to the record of its request: whether the answer may be used. Pure."""

from dataclasses import dataclass

from harness.client.ask import Ask
from harness.client.failure import Failure
from harness.client.record import RequestRecord
from harness.client.sse import Reading
from harness.vocabulary.outcome import Reason

# One event may carry several tokens (speculative decoding drafts up to 16); more means the count is not the text's.
MAX_TOKENS_PER_EVENT = 17
COLLAPSED_BYTES = 2  # as the fused flag of lesson M6 left of 680


@dataclass(frozen=True)
class Times:
    """Moments of one request on `time.perf_counter`, seconds."""

    due: float  # when it was meant to be sent
    t_send: float  # just before its bytes were handed to the socket; when it was given up where they never were
    t_end: float
    connect_s: float = 0.0  # of the time between both, what the connection took, TLS included


def judged(times: Times, ask: Ask, reading: Reading, failure: Failure | None) -> RequestRecord:
    """The record of a request whose stream was read; `failure` is the transport's own complaint."""
    reason, detail = _complaint(ask, reading, failure)
    return RequestRecord(
        t_send=times.t_send,
        t_end=times.t_end,
        reason=reason,
        detail=detail,
        text=reading.text,
        stamps=reading.stamps,
        prompt_tokens=reading.prompt_tokens or 0,
        cached_tokens=reading.cached_tokens,
        tokens=reading.tokens or 0,
        finish_reason=reading.finish_reason,
        tool_calls=reading.tool_calls,
        dispatch_delay_ms=(times.t_send - times.due) * 1000,
        connect_ms=times.connect_s * 1000,
        prompt=ask.prompt if ask.is_text else "",
    )


def _complaint(ask: Ask, reading: Reading, failure: Failure | None) -> tuple[Reason | None, str]:
    """Why the answer cannot be used, or none. The order matters: the first cause, not its consequences."""
    if failure:
        return failure.reason, failure.said
    if reading.error:
        return Reason.STREAM_ERROR, f"the server reported an error inside the stream: {reading.error}"
    if reading.broken:
        return Reason.NO_STREAM if reading.foreign else Reason.STREAM_GARBLED, reading.broken
    if reading.finish_reason is None:
        said = f"the stream ended after {len(reading.stamps)} events without a finish reason"
        return Reason.STREAM_CUT if reading.tokens is None else Reason.NO_FINISH_REASON, said
    if reading.tokens is None:
        return Reason.NO_USAGE, "the server sent no usage, so its count of tokens is unknown"
    events = len(reading.stamps)
    if events > reading.tokens and not reading.tool_calls:  # a wrong count, not a short answer
        return Reason.UNDERCOUNTED, f"the server counted {reading.tokens} tokens, but {events} events of text came"
    if not events:
        return _silent(reading, reading.tokens)
    if ask.exact and reading.tokens < ask.tokens:
        size, said = len(reading.text.encode()), f"{reading.tokens} tokens came of {ask.tokens} asked for"
        collapsed = size <= COLLAPSED_BYTES and not reading.tool_calls
        return (Reason.COLLAPSED, f"{said}, {size} bytes") if collapsed else (Reason.TOO_FEW_TOKENS, said)
    if (reason := _miscounted(ask, reading, reading.tokens)) is not None:
        return reason, (
            f"the server counted {reading.tokens} tokens of {ask.tokens} asked for, "
            f"but {events} events with {len(reading.text.encode())} bytes of text came"
        )
    return None, ""


def _silent(reading: Reading, tokens: int) -> tuple[Reason, str]:
    """Neither text nor a tool call came: with places for text that were empty, or without any."""
    if reading.empty:
        said = f"{reading.empty} events came and the text of each is empty, the server counted {tokens} tokens"
        return Reason.EMPTY_TEXT, said
    return Reason.NO_TEXT, f"neither text nor a tool call came, the server counted {tokens} tokens"


def _miscounted(ask: Ask, reading: Reading, tokens: int) -> Reason | None:
    """Why the server's count cannot be that of the text. Engines cut tool calls into events as they please."""
    events, size = len(reading.stamps), len(reading.text.encode())
    if tokens > ask.tokens:
        return Reason.OVERCOUNTED
    if tokens < 1 or (tokens > size and not reading.tool_calls):  # a token is at least one byte
        return Reason.COUNT_MISMATCH
    crowded = tokens > events * MAX_TOKENS_PER_EVENT and not reading.tool_calls
    return Reason.ALL_AT_ONCE if crowded else None
