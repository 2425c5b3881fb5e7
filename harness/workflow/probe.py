"""What a server's stream is made of: its first bytes as they came, and which fields carried text (lesson M3).

One short request, nothing else: no server is started, stopped or loaded. Whoever reads a stream by the wrong field
counts 0 tokens without a word; this shows the right one beforehand.
"""

import asyncio
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal
from urllib.parse import urlsplit

import httpx

from harness.adapters.asking import served_models
from harness.procfs import json_of

SHOWN_BYTES = 1024
MOST_BYTES = 1_000_000  # of an answer of a few tokens; more is no answer to this question
TIMEOUT_S = 60.0  # wall clock of the whole probe; a server that is asked for a few tokens and idle needs one
PROMPT = "Name the colours of a rainbow, one after the other."
TOKENS = 32  # enough for a thinking model to show both of its fields, or at least the first
PLACES = ("delta", "message", "text")  # where a choice keeps its text: streamed chat, whole chat, completions

Api = Literal["chat", "completions"]


@dataclass(frozen=True)
class Field:
    """One key of the answer's choices."""

    name: str  # as it stands: `content`, `reasoning`, `reasoning_content`, `text`, ...
    with_text: int  # events in which it held text
    empty: int  # events in which it was there with an empty string
    null: int  # events in which it was there without a value


@dataclass(frozen=True)
class Anatomy:
    """What an answer is made of."""

    events: int
    fields: tuple[Field, ...]
    usage: Mapping[str, Any] = field(default_factory=dict)
    finish_reasons: tuple[str, ...] = ()
    done: bool = False  # whether the stream ended with [DONE]
    error: str = ""  # an error inside the answer, in the server's words
    broken: int = 0  # events that are no JSON object

    @property
    def text_fields(self) -> tuple[str, ...]:
        """The fields to read."""
        return tuple(one.name for one in self.fields if one.with_text)


@dataclass(frozen=True)
class Probed:
    """One answer."""

    url: str
    model: str
    status: int
    content_type: str
    head: bytes  # the first kilobyte of the body as it came
    anatomy: Anatomy

    def as_json(self) -> dict[str, Any]:
        """Plain values; the bytes as Python writes them."""
        return asdict(self) | {"head": repr(self.head), "text_fields": list(self.anatomy.text_fields)}


@dataclass(frozen=True)
class NotProbed:
    """There was no answer to take apart; the sentence says why."""

    sentence: str


@dataclass(frozen=True)
class Question:
    """What is asked, and of whom."""

    base_url: str
    api: Api = "chat"
    model: str = ""  # empty takes the first that the server lists
    stream: bool = True
    key: str = ""  # sent as a bearer token, never shown

    @property
    def url(self) -> str:
        """The address of the request; a base address may or may not end in /v1."""
        base = self.base_url.rstrip("/").removesuffix("/v1")
        return f"{base}/v1/{'chat/completions' if self.api == 'chat' else 'completions'}"


async def probe(question: Question) -> Probed | NotProbed:
    """Ask once and take the answer apart; ends within a minute."""
    base = question.base_url.rstrip("/").removesuffix("/v1")
    try:
        _ = urlsplit(base).port  # httpx fails in its own depths on a port that cannot be
    except ValueError as error:
        return NotProbed(f"{question.url} cannot be asked ({error})")
    try:
        async with asyncio.timeout(TIMEOUT_S):
            model = question.model or next(iter(await served_models(base)), "")
            return await _asked(question, model)
    except TimeoutError:
        return NotProbed(f"{question.url} did not end its answer within {TIMEOUT_S:g} s")
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        return NotProbed(f"{question.url} cannot be asked ({type(error).__name__}: {error})")


async def _asked(question: Question, model: str) -> Probed:
    body: dict[str, Any] = {"model": model, "max_tokens": TOKENS, "temperature": 0, "stream": question.stream}
    if question.stream:
        body["stream_options"] = {"include_usage": True}
    if question.api == "chat":
        body["messages"] = [{"role": "user", "content": PROMPT}]
    else:
        body["prompt"] = PROMPT
    headers = {"Accept-Encoding": "identity"} | ({"Authorization": f"Bearer {question.key}"} if question.key else {})
    async with (
        httpx.AsyncClient(trust_env=False, timeout=TIMEOUT_S) as client,
        client.stream("POST", question.url, json=body, headers=headers) as answer,
    ):
        data = b""
        async for part in answer.aiter_raw():
            data += part
            if len(data) > MOST_BYTES:
                break
    kind = answer.headers.get("content-type", "")
    return Probed(question.url, model, answer.status_code, kind, data[:SHOWN_BYTES], anatomy(data))


def anatomy(body: bytes) -> Anatomy:
    """Take an answer apart: a stream of server-sent events, or one JSON object. Pure."""
    counts: dict[str, list[int]] = {}
    usage: Mapping[str, Any] = {}
    reasons, error, events, broken, done = list[str](), "", 0, 0, False
    for payload in _payloads(body):
        if payload == b"[DONE]":
            done = True
            continue
        events += 1
        value = _object(payload)
        broken += value is None
        if value is None:
            continue
        usage = value["usage"] if isinstance(value.get("usage"), dict) else usage
        error = error or (json.dumps(value["error"])[:300] if value.get("error") else "")
        for choice in value.get("choices") or ():
            if isinstance(choice, dict):
                _count(counts, choice)
                reasons += [str(choice["finish_reason"])] if choice.get("finish_reason") else []
    fields = tuple(Field(name, *numbers) for name, numbers in counts.items())
    return Anatomy(events, fields, usage, tuple(dict.fromkeys(reasons)), done, error, broken)


def _payloads(body: bytes) -> Iterator[bytes]:
    lines = [line.strip() for line in body.split(b"\n")]
    if any(line.startswith(b"data:") for line in lines):
        yield from (line[5:].strip() for line in lines if line.startswith(b"data:"))
    elif body.strip():
        yield body.strip()


def _object(payload: bytes) -> dict[str, Any] | None:
    try:
        value = json_of(payload)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _count(counts: dict[str, list[int]], choice: Mapping[str, Any]) -> None:
    """Every key of a choice that may hold text: with text, empty, without a value."""
    holders = [choice[place] for place in PLACES if isinstance(choice.get(place), dict)]
    pairs = [(name, value) for holder in holders for name, value in holder.items() if name != "role"]
    if "text" in choice:
        pairs.append(("text", choice["text"]))
    for name, value in pairs:
        numbers = counts.setdefault(str(name), [0, 0, 0])
        numbers[2 if value is None else 1 if value in ("", []) else 0] += 1
