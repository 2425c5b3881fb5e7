"""Read a stream of server-sent events after it was received: pure, no clock and no socket.

Bytes are stamped when they arrive and parsed only afterwards, so parsing costs no measured time.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Arrival:
    """Some bytes of a response's body and when they arrived, seconds of a monotonic clock."""

    at: float
    data: bytes


@dataclass(frozen=True)
class Reading:
    """What a stream said. `error` and `broken` are the server's words and ours; either means: do not use it."""

    text: str
    stamps: tuple[float, ...]
    tool_calls: int
    prompt_tokens: int | None
    cached_tokens: int
    tokens: int | None
    finish_reason: str | None
    error: str | None
    broken: str | None


def events(arrivals: Sequence[Arrival]) -> Iterator[tuple[float, str]]:
    """Time and payload of every `data:` event; an event counts as arrived with its last byte."""
    buffer = b""
    for arrival in arrivals:
        buffer += arrival.data
        *lines, buffer = buffer.split(b"\n")
        for line in lines:
            if line.startswith(b"data:"):
                yield arrival.at, line[5:].strip().decode("utf-8", errors="replace")
    if buffer.startswith(b"data:") and arrivals:
        yield arrivals[-1].at, buffer[5:].strip().decode("utf-8", errors="replace")


def read(arrivals: Sequence[Arrival]) -> Reading:
    """Read a whole stream of the chat or the completions API."""
    texts: list[str] = []
    stamps: list[float] = []
    tool_calls = 0
    usage: Mapping[str, Any] = {}
    finish_reason = error = broken = None
    for at, payload in events(arrivals):
        if payload == "[DONE]":
            continue
        value = _object(payload)
        if value is None:
            broken = f"an event is not a JSON object: {payload[:120]!r}"
            break
        if value.get("error"):
            error = json.dumps(value["error"], ensure_ascii=False)[:300]
            break
        usage = value["usage"] if isinstance(value.get("usage"), dict) else usage
        choice = _first(value.get("choices"))
        text, calls = _said(choice)
        tool_calls += calls
        if text or calls:
            texts.append(text)
            stamps.append(at)
        finish_reason = choice.get("finish_reason") or finish_reason
    details = usage.get("prompt_tokens_details")
    return Reading(
        text="".join(texts),
        stamps=tuple(stamps),
        tool_calls=tool_calls,
        prompt_tokens=_count(usage.get("prompt_tokens")),
        cached_tokens=_count(details.get("cached_tokens") if isinstance(details, dict) else 0) or 0,
        tokens=_count(usage.get("completion_tokens")),
        finish_reason=str(finish_reason) if finish_reason else None,
        error=error,
        broken=broken,
    )


def _said(choice: Mapping[str, Any]) -> tuple[str, int]:
    """Text of one event, reasoning first, and how many pieces of tool calls it carries.

    Some servers send `reasoning` and `reasoning_content` with the same text in every event: one of them is read.
    """
    delta = choice.get("delta")
    if not isinstance(delta, dict):
        return _text(choice.get("text")), 0
    thought = _text(delta.get("reasoning")) or _text(delta.get("reasoning_content"))
    calls = delta.get("tool_calls")
    return thought + _text(delta.get("content")), len(calls) if isinstance(calls, list) else 0


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _first(choices: object) -> Mapping[str, Any]:
    return choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}


def _object(payload: str) -> Mapping[str, Any] | None:
    try:
        value = json.loads(payload)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
