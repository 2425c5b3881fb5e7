"""Read a stream of server-sent events after it was received: pure, no clock and no socket.

Bytes are stamped when they arrive and parsed only afterwards, so parsing costs no measured time. `Reader` takes them in
slices, so that whoever reads while other streams are open can pause between two slices.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from harness.client.alike import Alike, is_plain
from harness.client.record import ToolCall
from harness.client.said import Said, count, said_by

SHOWN = 120  # characters of a server's words in a message
# To look for the form that events share costs about as much as parsing one, so it is looked for again only where it has
# paid: a server whose events differ in more than their text is given up soon.
LOOK_COST, LOOKS_AT_FIRST = 4, 4


class Arrival(NamedTuple):
    """Some bytes of a response's body and when they arrived, seconds of a monotonic clock."""

    at: float
    data: bytes


@dataclass(frozen=True)
class Reading:
    """What a stream said. `error` and `broken` are the server's words and ours; either means: do not use it."""

    text: str
    stamps: tuple[float, ...]
    tool_calls: tuple[ToolCall, ...]
    prompt_tokens: int | None
    cached_tokens: int
    tokens: int | None
    finish_reason: str | None
    error: str | None
    broken: str | None
    foreign: bool = False  # the answer is no stream of events at all
    empty: int = 0  # events with a place for text in which nothing stood


class Reader:
    """A stream of the chat, the completions or the responses API, taken in as it was cut by the network."""

    def __init__(self) -> None:
        self._rest = b""  # the begun line
        self._last_at = 0.0
        self._foreign = b""  # the beginning of a body that is no event stream
        self._events = 0
        self._texts: list[str] = []
        self._stamps: list[float] = []
        self._calls: dict[int, tuple[str, str]] = {}
        self._usage: Mapping[str, Any] = {}
        self._finish: str | None = None
        self._error: str | None = None
        self._broken: str | None = None
        self._empty = 0
        self._alike: Alike | None = None  # the form of the last event with a text
        self._saved = LOOK_COST * LOOKS_AT_FIRST  # events that need not be parsed, less what looking for forms cost

    def feed(self, arrivals: Sequence[Arrival]) -> None:
        """Take more bytes. An event counts as arrived with its last byte."""
        for arrival in arrivals:
            self._last_at = arrival.at
            *lines, self._rest = (self._rest + arrival.data).split(b"\n")
            for line in lines:
                self._line(arrival.at, line)

    def reading(self) -> Reading:
        """What was said, once all bytes were fed; a last line needs no line feed."""
        rest, self._rest = self._rest, b""
        self._line(self._last_at, rest)
        usage = self._usage
        details = usage.get("prompt_tokens_details") or usage.get("input_tokens_details")
        broken, foreign = self._broken, bool(not self._events and self._foreign)
        if foreign:
            broken = f"the answer is no stream of events: {self._foreign.decode(errors='replace')[:SHOWN]!r}"
        return Reading(
            text="".join(self._texts),
            stamps=tuple(self._stamps),
            tool_calls=tuple(ToolCall(name, arguments) for _, (name, arguments) in sorted(self._calls.items())),
            prompt_tokens=count(usage.get("prompt_tokens", usage.get("input_tokens"))),
            cached_tokens=count(details.get("cached_tokens") if isinstance(details, dict) else 0) or 0,
            tokens=count(usage.get("completion_tokens", usage.get("output_tokens"))),
            finish_reason=self._finish,
            error=self._error,
            broken=broken,
            foreign=foreign,
            empty=self._empty,
        )

    def _line(self, at: float, line: bytes) -> None:
        if line.startswith(b"data:"):
            self._events += 1
            if not (self._error or self._broken):  # after the first fault nothing counts
                self._payload(at, line[5:].strip())
        elif not self._events and len(self._foreign) < SHOWN and not line.startswith((b":", b"event:", b"id:")):
            self._foreign += line.strip()

    def _payload(self, at: float, payload: bytes) -> None:
        text = self._alike.text(payload) if self._alike is not None else None
        if text is not None:
            self._saved += 1
            self._texts.append(text)
            self._stamps.append(at)
        elif payload != b"[DONE]":
            self._parsed(at, payload)

    def _parsed(self, at: float, payload: bytes) -> None:
        value = _object(payload)
        if value is None:
            self._broken = f"an event is not a JSON object: {payload.decode(errors='replace')[:SHOWN]!r}"
            return
        said = said_by(value)
        if said.error is not None:
            self._error = said.error
            return
        self._usage = said.usage if said.usage is not None else self._usage
        self._finish = said.finish_reason or self._finish
        self._empty += said.empty
        if said.text or said.calls:
            self._texts.append(said.text)
            self._stamps.append(at)
            self._add_calls(said)
            self._look(payload, said)

    def _look(self, payload: bytes, said: Said) -> None:
        """Where the form of events may have changed, take that of this one."""
        if self._saved >= LOOK_COST and is_plain(said.text):
            self._saved -= LOOK_COST
            self._alike = Alike.of(payload, said) or self._alike

    def _add_calls(self, said: Said) -> None:
        """Join the pieces of tool calls: by index, and without one a piece with a name begins a new call."""
        for piece in said.calls:
            last = max(self._calls, default=-1)
            at = piece.index if piece.index is not None else last + 1 if piece.name else max(last, 0)
            name, arguments = self._calls.get(at, ("", ""))
            self._calls[at] = (name if piece.name == name else name + piece.name, arguments + piece.arguments)


def read(arrivals: Sequence[Arrival]) -> Reading:
    """Read a whole stream at once."""
    reader = Reader()
    reader.feed(arrivals)
    return reader.reading()


def _object(payload: bytes) -> Mapping[str, Any] | None:
    try:
        value = json.loads(payload.decode())  # as bytes they would be looked at for their encoding, event by event
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
