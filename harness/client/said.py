"""What one event of a stream says: text, pieces of tool calls, usage, an end, an error. Pure.

Thinking stands in `reasoning` or `reasoning_content`, the answer in `content` or `text`; a wrong field would silently
count nothing (lesson M3).
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

SHOWN = 300  # characters of an error in the server's words
TEXT_FIELDS = ("text", "content", "reasoning", "reasoning_content")
RESPONSES_TEXT = frozenset(
    {"response.output_text.delta", "response.reasoning_text.delta", "response.reasoning_summary_text.delta"}
)


@dataclass(frozen=True)
class Piece:
    """A piece of one tool call; `index` is none where the server gives none."""

    index: int | None
    name: str
    arguments: str


@dataclass(frozen=True)
class Said:
    """What one event says."""

    text: str = ""
    calls: tuple[Piece, ...] = ()
    usage: Mapping[str, Any] | None = None
    finish_reason: str | None = None
    error: str | None = None
    empty: bool = False  # it has a place for text, and nothing stands there


def said_by(value: Mapping[str, Any]) -> Said:
    """What an event of any of the three APIs says."""
    kind = value.get("type")
    if isinstance(kind, str) and (kind.startswith("response.") or kind == "error"):
        return responses_said(kind, value)
    return chat_said(value)


def chat_said(value: Mapping[str, Any]) -> Said:
    """An event of the chat or the completions API; text is reasoning first, then content."""
    if value.get("error") or value.get("object") == "error":  # the second as older versions of vLLM say it
        return Said(error=_words(value.get("error") or value))
    usage = value.get("usage")
    choices = value.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
    finish = choice.get("finish_reason")
    text, calls = _delta(choice)
    known = usage if isinstance(usage, dict) else None
    return Said(text, calls, known, str(finish) if finish else None, empty=not (text or calls) and _is_empty(choice))


def _delta(choice: Mapping[str, Any]) -> tuple[str, tuple[Piece, ...]]:
    """Some servers send `reasoning` and `reasoning_content` with the same text in every event: one of them is read."""
    delta = choice.get("delta")
    if not isinstance(delta, dict):
        return _text(choice.get("text")), ()
    thought = _text(delta.get("reasoning")) or _text(delta.get("reasoning_content"))
    calls = delta.get("tool_calls")
    pieces = tuple(_piece(call) for call in calls if isinstance(call, dict)) if isinstance(calls, list) else ()
    return thought + _text(delta.get("content")), pieces


def _is_empty(choice: Mapping[str, Any]) -> bool:
    delta = choice.get("delta")
    said: Mapping[str, Any] = delta if isinstance(delta, dict) else choice
    return any(said.get(name) == "" for name in TEXT_FIELDS) and "role" not in said  # a role often comes with one


def _piece(call: Mapping[str, Any]) -> Piece:
    function = call.get("function")
    named: Mapping[str, Any] = function if isinstance(function, dict) else {}
    return Piece(count(call.get("index")), _text(named.get("name")), _text(named.get("arguments")))


def responses_said(kind: str, value: Mapping[str, Any]) -> Said:
    """An event of the responses API, told by its type; types that are not listed say nothing."""
    delta = _text(value.get("delta"))
    if kind in RESPONSES_TEXT:
        return Said(text=delta)
    index = count(value.get("output_index"))
    if kind == "response.function_call_arguments.delta" and delta:
        return Said(calls=(Piece(index, "", delta),))
    item = value.get("item")
    if kind == "response.output_item.added" and isinstance(item, dict) and item.get("type") == "function_call":
        return Said(calls=(Piece(index, _text(item.get("name")), ""),))
    whole = value.get("response")
    response: Mapping[str, Any] = whole if isinstance(whole, dict) else {}
    if kind in ("response.completed", "response.incomplete"):
        usage = response.get("usage")
        finish = "stop" if kind == "response.completed" else "length"
        return Said(usage=usage if isinstance(usage, dict) else None, finish_reason=finish)
    if kind in ("error", "response.failed") or value.get("error"):
        return Said(error=_words(value.get("error") or response.get("error") or value))
    return Said()


def count(value: object) -> int | None:
    """The value as a count, none if it is not one."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _words(error: object) -> str:
    return json.dumps(error, ensure_ascii=False)[:SHOWN]
