"""From a stream that was read to the record of its request: whether the answer may be used. Pure."""

from dataclasses import dataclass

from harness.client.ask import Ask
from harness.client.record import RequestRecord
from harness.client.sse import Reading
from harness.vocabulary.outcome import Reason

# One event may carry several tokens (speculative decoding drafts up to 16); more means the count is not the text's.
MAX_TOKENS_PER_EVENT = 17


@dataclass(frozen=True)
class Times:
    """Moments of one request on `time.perf_counter`, seconds."""

    due: float  # when it was meant to be sent
    t_send: float  # just before its bytes were handed to the socket; when it was given up where they never were
    t_end: float
    connect_s: float = 0.0  # of the time between both, what the connection took, TLS included


def judged(times: Times, ask: Ask, reading: Reading, failure: str | None) -> RequestRecord:
    """The record of a request whose stream was read; `failure` is the transport's own sentence."""
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
    )


def _complaint(ask: Ask, reading: Reading, failure: str | None) -> tuple[Reason | None, str]:
    """Why the answer cannot be used, or none. The order matters: the first cause, not its consequences."""
    if failure:
        return Reason.REQUEST_FAILED, failure
    if reading.error:
        return Reason.STREAM_ERROR, f"the server reported an error inside the stream: {reading.error}"
    if reading.broken:
        return Reason.STREAM_GARBLED, reading.broken
    if reading.finish_reason is None:
        return Reason.STREAM_CUT, f"the stream ended after {len(reading.stamps)} events without a finish reason"
    if reading.tokens is None:
        return Reason.COUNT_MISMATCH, "the server sent no usage, so its count of tokens is unknown"
    events = len(reading.stamps)
    if events > reading.tokens and not reading.tool_calls:  # a wrong count, not a short answer
        return Reason.COUNT_MISMATCH, f"the server counted {reading.tokens} tokens, but {events} events of text came"
    if ask.exact and reading.tokens < ask.tokens:
        return Reason.TOO_FEW_TOKENS, f"{reading.tokens} tokens came of {ask.tokens} asked for"
    if not reading.stamps:
        return Reason.TOO_FEW_TOKENS, f"neither text nor a tool call came, the server counted {reading.tokens} tokens"
    if _miscounted(ask, reading, reading.tokens):
        return Reason.COUNT_MISMATCH, (
            f"the server counted {reading.tokens} tokens of {ask.tokens} asked for, "
            f"but {events} events with {len(reading.text.encode())} bytes of text came"
        )
    return None, ""


def _miscounted(ask: Ask, reading: Reading, tokens: int) -> bool:
    """Whether the server's count cannot be that of the text. Engines cut tool calls into events as they please."""
    if tokens > ask.tokens or tokens < 1:
        return True
    events, size = len(reading.stamps), len(reading.text.encode())
    if reading.tool_calls:
        return False
    return tokens > events * MAX_TOKENS_PER_EVENT or tokens > size  # a token is at least one byte
