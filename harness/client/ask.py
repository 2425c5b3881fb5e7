"""What is asked of a server, and where: one request's settings and the JSON that is sent for them. Pure."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from harness.procfs import json_of
from harness.vocabulary.base import Scalar

SEED = 1  # temperature 0 needs none; engines that ignore temperature 0 get a fixed one
MORE_TOKENS = frozenset({"messages", "prompt", "tools", "chat_template_kwargs", "documents"})  # they add to a prompt
FORCES_LENGTH = frozenset({"ignore_eos", "min_tokens"})  # engines' words for "no end before n tokens"


@dataclass(frozen=True)
class Ask:
    """One request at temperature 0: what is said, how much may come, and within which time."""

    prompt: str
    tokens: int
    timeout_s: float  # wall clock around the whole request
    exact: bool = True  # exactly `tokens` must come; false: at least one and at most so many
    extra_json: str = "{}"  # JSON object merged into the body last
    path: str | None = None  # another endpoint, such as "/v1/responses"; none: the target's own
    messages_json: str | None = None  # JSON list of messages instead of the single user message (images, tools)
    due: float | None = None  # `time.perf_counter` time at which it is meant to be sent; none: at once

    @property
    def is_text(self) -> bool:
        """Whether the prompt alone makes the prompt's tokens: no messages, tools or endpoint of their own."""
        return self.messages_json is None and self.path is None and MORE_TOKENS.isdisjoint(_object(self.extra_json))


@dataclass(frozen=True)
class Door:
    """Where and how a server is asked."""

    base_url: str
    api: Literal["chat", "completions"]
    model: str
    sampling: Callable[[int], tuple[tuple[str, Scalar], ...]]  # the engine's words for "exactly n tokens, cold"

    @property
    def url(self) -> str:
        """The address that requests go to unless they name another path."""
        return self.url_of(None)

    def url_of(self, path: str | None) -> str:
        """The address of a path, by default the target's own endpoint."""
        own = "/v1/chat/completions" if self.api == "chat" else "/v1/completions"
        return f"{self.base_url.rstrip('/')}{path or own}"

    def body(self, ask: Ask) -> dict[str, object]:
        """The JSON that is sent.

        Raises ValueError where `extra_json` or `messages_json` is not what it says, or the endpoint takes no messages.
        """
        asked: dict[str, object] = {"model": self.model, "temperature": 0, "stream": True}
        limits = {key: value for key, value in self.sampling(ask.tokens) if ask.exact or key not in FORCES_LENGTH}
        url = self.url_of(ask.path)
        if url.endswith("/responses"):
            asked["input"] = _messages(ask) if ask.messages_json else ask.prompt
            asked["max_output_tokens"] = limits.pop("max_tokens", ask.tokens)
        else:
            asked |= {"seed": SEED, "stream_options": {"include_usage": True}}
            completes = url.endswith("/completions") and not url.endswith("/chat/completions")
            if completes and ask.messages_json is not None:
                raise ValueError(f"{url!r} takes no messages; give the ask a path such as '/v1/chat/completions'")
            asked |= {"prompt": ask.prompt} if completes else {"messages": _messages(ask)}
        return asked | limits | _object(ask.extra_json)


def _messages(ask: Ask) -> list[object]:
    if ask.messages_json is None:
        return [{"role": "user", "content": ask.prompt}]
    value = json_of(ask.messages_json)
    if not isinstance(value, list) or not value:
        raise ValueError(f"messages_json {ask.messages_json[:80]!r} is not a JSON list of messages")
    return value


def _object(text: str) -> dict[str, object]:
    value = json_of(text)
    if not isinstance(value, dict):
        raise ValueError(f"extra_json {text[:80]!r} is not a JSON object")
    return value
