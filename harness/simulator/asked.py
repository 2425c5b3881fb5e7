"""A request's body as the simulated engine understands it, for each of its three ways to ask. Pure."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from harness.simulator import words

DEFAULT_TOKENS = {"completions": 16, "chat": 256, "responses": 256}
NATURAL_TOKENS = (200, 600)  # an answer that may end by itself is so long


class Api(StrEnum):
    """Which endpoint was asked."""

    COMPLETIONS = "completions"
    CHAT = "chat"
    RESPONSES = "responses"


@dataclass(frozen=True)
class Asked:
    """One request. `prompt` is all text in it, `ids` its tokens."""

    api: Api
    prompt: str
    ids: tuple[int, ...]
    prompt_tokens: int
    tokens: int  # generated at most
    ends: bool  # ends by itself before that: finish reason stop
    stream: bool
    with_usage: bool
    use_cache: bool
    priority: int
    model: str
    tools: tuple[Mapping[str, Any], ...]
    tool_choice: str


class BadRequest(ValueError):
    """The engine answers 400 with this message."""


def read_body(api: Api, body: Mapping[str, Any], picture_tokens: int) -> Asked:
    """Understand a body; each picture counts `picture_tokens`. Raises BadRequest."""
    text, images = _text(api, body)
    ids = tuple(words.token_ids(text))
    extra = 0 if api is Api.COMPLETIONS else words.TEMPLATE_TOKENS
    limit, least = _limit(api, body), _whole(body, "min_tokens", 0)
    natural = _natural(text)
    ends = not body.get("ignore_eos") and max(natural, least) < limit
    return Asked(
        api=api,
        prompt=text,
        ids=ids,
        prompt_tokens=len(ids) + extra + images * picture_tokens,
        tokens=max(natural, least) if ends else limit,
        ends=ends,
        stream=bool(body.get("stream")),
        with_usage=bool((body.get("stream_options") or {}).get("include_usage")) or api is Api.RESPONSES,
        use_cache=body.get("cache_prompt") is not False,
        priority=_whole(body, "priority", 0)
        if api is Api.RESPONSES
        else 0,  # the chat endpoint has no such field (M14)
        model=str(body.get("model") or ""),
        tools=tuple(tool for tool in body.get("tools") or () if isinstance(tool, dict)),
        tool_choice=_choice(body.get("tool_choice")),
    )


def _limit(api: Api, body: Mapping[str, Any]) -> int:
    for name in ("max_completion_tokens", "max_output_tokens", "max_tokens", "n_predict"):
        if body.get(name) is not None:
            return _whole(body, name, 0, least=1)
    return DEFAULT_TOKENS[api.value]


def _whole(body: Mapping[str, Any], name: str, default: int, least: int | None = None) -> int:
    value = body.get(name, default)
    if value is None:
        return default
    if not isinstance(value, int) or isinstance(value, bool) or (least is not None and value < least):
        raise BadRequest(f"{name} must be a whole number{'' if least is None else f' of at least {least}'}")
    return value


def _text(api: Api, body: Mapping[str, Any]) -> tuple[str, int]:
    """All text of the request and the number of its pictures."""
    if api is Api.COMPLETIONS:
        prompt = body.get("prompt")
        if not isinstance(prompt, str):
            raise BadRequest("prompt must be a string")
        return prompt, 0
    said = body.get("messages" if api is Api.CHAT else "input")
    if isinstance(said, str):
        return said, 0
    if not isinstance(said, list) or not said:
        raise BadRequest("messages must be a list that is not empty")
    texts: list[str] = []
    images = 0
    for message in said:
        content = message.get("content") if isinstance(message, dict) else None
        for part in content if isinstance(content, list) else [{"text": content}]:
            text = part.get("text") if isinstance(part, dict) else part
            texts += [text] if isinstance(text, str) else []
            images += isinstance(part, dict) and part.get("type") in ("image_url", "input_image")
    return "\n".join(texts), images


def _choice(value: object) -> str:
    if isinstance(value, dict):
        return "required"  # a named function has to be called
    return value if isinstance(value, str) else "auto"


def _natural(text: str) -> int:
    low, high = NATURAL_TOKENS
    return low + int.from_bytes(hashlib.blake2s(text.encode()).digest()[:4], "big") % (high - low)
