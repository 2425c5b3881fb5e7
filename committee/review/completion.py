"""Reading an OpenAI-compatible chat completion's body. Pure; strict for the border, lenient for the record."""

import json
from dataclasses import dataclass
from typing import Any

from committee.review.received import Excluded
from committee.vocabulary.exclusion import Reason

MOST_SIGNS = 200  # of a server's word for its model or its end
EVENT = b"data:"  # how a line of a stream begins
THINKING_KEYS = ("reasoning", "reasoning_content")  # vLLM and OpenRouter; SGLang, llama.cpp, DeepSeek
_STOPPED = {
    "length": (Reason.CUT_BY_LENGTH, "the answer ran into its limit of tokens"),
    "content_filter": (Reason.FILTERED, "the server's content filter held the answer back"),
    "tool_calls": (Reason.TOOL_CALLS, "the model called a tool instead of answering"),
    "function_call": (Reason.TOOL_CALLS, "the model called a function instead of answering"),
    "error": (Reason.ERROR_IN_BODY, "the choice says that it ended with an error"),
}


@dataclass(frozen=True)
class BodyFacts:
    """What the record keeps of a body, as far as it can be read."""

    finish_reason: str | None = None
    served_model: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    answer_bytes: int = 0  # of the first choice's text and thinking, as UTF-8


def facts(raw: bytes) -> BodyFacts:
    """Whatever of the facts the body states in the right type; never raises for any bytes."""
    body = _mapping(_parsed(raw))
    usage, choice = _mapping(body.get("usage")), _mapping(_first(body.get("choices")))
    return BodyFacts(
        finish_reason=_word(choice.get("finish_reason")),
        served_model=_word(body.get("model")),
        prompt_tokens=_count(usage.get("prompt_tokens")),
        completion_tokens=_count(usage.get("completion_tokens")),
        answer_bytes=_said_bytes(_mapping(choice.get("message"))),
    )


def answer_text(raw: bytes) -> str | Excluded:
    """The text of a finished answer, or why there is none. Each check is one way a server was seen to fail."""
    body = _parsed(raw)
    if raw.lstrip().startswith(EVENT):
        return _of_stream(raw)
    if not isinstance(body, dict):
        return Excluded(Reason.NOT_A_COMPLETION, "status 200, but the body is not a JSON object")
    if body.get("error"):
        return Excluded(Reason.ERROR_IN_BODY, "status 200, but the body holds an error")
    choice = _first(body.get("choices"))
    if not isinstance(choice, dict) or not isinstance(choice.get("message"), dict):
        return Excluded(Reason.NOT_A_COMPLETION, "status 200, but the body holds no answer")
    message = choice["message"]
    if choice.get("error"):
        return Excluded(Reason.ERROR_IN_BODY, "the choice holds an error")
    stopped = _not_stopped(choice.get("finish_reason"))
    if stopped:
        return stopped
    if message.get("tool_calls") or message.get("function_call"):
        return Excluded(*_STOPPED["tool_calls"])
    return _content(message)


def _of_stream(raw: bytes) -> Excluded:
    """Why a stream that nobody asked for is no answer; what was wrong with it is said where it says so itself."""
    events = [_mapping(_parsed(line.removeprefix(EVENT))) for line in raw.splitlines() if line.startswith(EVENT)]
    if any(event.get("error") for event in events):
        return Excluded(Reason.ERROR_IN_BODY, "a stream came, and it holds an error")
    if not any(_mapping(_first(event.get("choices"))).get("finish_reason") for event in events):
        return Excluded(Reason.NO_FINISH, "a stream came, and it does not say that it finished")
    return Excluded(Reason.NOT_A_COMPLETION, "a stream came, but a whole answer was asked for")


def _not_stopped(finish: object) -> Excluded | None:
    if finish == "stop":
        return None
    if isinstance(finish, str) and finish in _STOPPED:
        return Excluded(*_STOPPED[finish])
    return Excluded(Reason.NO_FINISH, "the answer does not say that it finished")


def _content(message: dict[str, Any]) -> str | Excluded:
    content = message.get("content")
    if isinstance(content, str) and content.strip():
        return content
    if message.get("refusal"):
        return Excluded(Reason.FILTERED, "the model refused to answer")
    if content is not None and not isinstance(content, str):
        return Excluded(Reason.NOT_A_COMPLETION, "the answer's content is not text")
    thinking = "".join(text for key in THINKING_KEYS if isinstance(text := message.get(key), str))
    if "{" in thinking:
        return Excluded(Reason.ANSWER_IN_REASONING, "the content is empty and the answer stands in the thinking")
    return Excluded(Reason.EMPTY, "the answer finished and is empty")


def _parsed(raw: bytes) -> Any:
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return None


def _first(value: object) -> object:
    return value[0] if isinstance(value, list) and value else None


def _mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _word(value: object) -> str | None:
    """A server's word as one line that every database and terminal takes; what cannot be seen becomes `?`."""
    if not isinstance(value, str):
        return None
    return "".join(sign if sign.isprintable() else "?" for sign in value[:MOST_SIGNS])


def _said_bytes(message: dict[str, Any]) -> int:
    said = (message.get(key) for key in ("content", *THINKING_KEYS))
    return sum(len(text.encode("utf-8", "surrogatepass")) for text in said if isinstance(text, str))


def _count(value: object) -> int | None:
    usable = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53
    return value if usable and isinstance(value, int) else None
