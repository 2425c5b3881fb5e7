"""Every way in which an OpenAI-compatible server was seen to answer, as named modes. Pure: bytes for a request."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from committee.review.loopback_http import response
from committee.vocabulary.example import EXAMPLES
from committee.vocabulary.language import Language


@dataclass(frozen=True)
class Asked:
    """What a reply repeats: taken from the request's prompt."""

    nonce: str
    proposal: str
    earlier: int  # how often this model was asked before
    mark: str = ""  # words that every text of the reply holds, so that they can be looked for
    held_to: str = "none"  # the type of the request's response_format


HYPOTHESIS: Mapping[str, Any] = {
    "mechanism": "four sequences are decoded in one pass over the weights",
    "predicted": {"metric": "total_tok_s", "load": 4, "direction": "up", "low_pct": 20, "high_pct": 60},
    "falsifier": "the total of four users stays within 10 percent",
    "citations": [],
    "arm": {"name": "slots-4", "title": "four slots", "flags": {"n-parallel": 4}, "env": {}, "witness": []},
}


def review(asked: Asked, **changes: Any) -> dict[str, Any]:
    """A complete review with one hypothesis."""
    whole = {"nonce": asked.nonce, "proposal": asked.proposal, "count": 1, "hypotheses": [hypothesis(asked)]}
    return whole | changes


def hypothesis(asked: Asked, **changes: Any) -> dict[str, Any]:
    """Its one hypothesis."""
    mechanism = f"{HYPOTHESIS['mechanism']} {asked.mark}".strip()
    return dict(HYPOTHESIS) | {"mechanism": mechanism} | changes


def completion(content: object, finish: object = "stop", **message: Any) -> bytes:
    """The body of a chat completion around a content."""
    said = content if isinstance(content, str) or content is None else json.dumps(content)
    choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": said} | message}
    usage = {"prompt_tokens": 1000, "completion_tokens": 200, "total_tokens": 1200}
    return json.dumps(
        {"object": "chat.completion", "model": "misbehaving", "choices": [choice], "usage": usage}
    ).encode()


def _ok(content: object, finish: object = "stop", **message: Any) -> bytes:
    return response(200, completion(content, finish, **message))


def _refused(asked: Asked, status: int, headers: Mapping[str, str] | None = None) -> bytes:
    said = f"refused with {status} {asked.mark}".strip()
    return response(status, json.dumps({"error": {"message": said}}).encode(), headers)


def _held(asked: Asked, known: set[str]) -> bytes:
    """A server that refuses a response_format it does not know, as vLLM and llama.cpp word it."""
    if asked.held_to in known:
        return _ok(review(asked))
    said = f"response_format type {asked.held_to!r} is not supported"
    return response(400, json.dumps({"error": {"message": said}}).encode())


def _cited(asked: Asked) -> dict[str, Any]:
    citation = {"file": "/etc/passwd", "line": 1, "quote": "root"}
    return review(asked, hypotheses=[hypothesis(asked, citations=[citation])])


def _misquoted(asked: Asked) -> dict[str, Any]:
    citation = {"file": "PROPOSAL.md", "line": 1, "quote": "words that nobody ever wrote there"}
    return review(asked, hypotheses=[hypothesis(asked, citations=[citation])])


def _echoed(asked: Asked) -> dict[str, Any]:
    """A model that has nothing to say repeats the prompt's example, its own words around it."""
    said = EXAMPLES[Language.EN]
    return review(
        asked, hypotheses=[hypothesis(asked, mechanism=said.mechanism, falsifier=f"{said.falsifier} {asked.mark}")]
    )


def _event(value: object) -> str:
    return f"data: {json.dumps(value)}\n\n"


def _stream(asked: Asked, finish: str | None = "stop") -> bytes:
    delta = {"choices": [{"index": 0, "delta": {"content": json.dumps(review(asked))}, "finish_reason": None}]}
    last = {"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]}
    said = _event(delta) + (_event(last) + "data: [DONE]\n\n" if finish else "")
    return response(200, said.encode(), {"content-type": "text/event-stream"})


def _stream_with_error(asked: Asked) -> bytes:
    delta = {"choices": [{"index": 0, "delta": {"content": json.dumps(review(asked))[:60]}, "finish_reason": None}]}
    said = _event(delta) + _event({"error": {"message": f"the engine died {asked.mark}"}})
    return response(200, said.encode(), {"content-type": "text/event-stream"})


def _without_nonce(asked: Asked) -> dict[str, Any]:
    return {key: value for key, value in review(asked).items() if key != "nonce"}


def _outside_enum(asked: Asked) -> dict[str, Any]:
    said = dict(HYPOTHESIS["predicted"]) | {"direction": "sideways"}
    return review(asked, hypotheses=[hypothesis(asked, predicted=said)])


def _twice(asked: Asked) -> str:
    return json.dumps(review(asked)).replace('"count": 1', '"count": 1, "count": 1')


def _html(asked: Asked) -> bytes:
    return response(200, f"<html>maintenance {asked.mark}</html>".encode(), {"content-type": "text/html"})


MODES: Mapping[str, Callable[[Asked], bytes]] = {
    "good": lambda asked: _ok(review(asked)),
    "fenced": lambda asked: _ok(f"```json\n{json.dumps(review(asked))}\n```"),
    "limited-once": lambda asked: _ok(review(asked)) if asked.earlier else _refused(asked, 429, {"retry-after": "0"}),
    "busy-once": lambda asked: _ok(review(asked)) if asked.earlier else _refused(asked, 503),
    "limited-without-a-time": lambda asked: _refused(asked, 429),
    "limited-for-long": lambda asked: _refused(asked, 429, {"retry-after": "3600"}),
    "busy-for-long": lambda asked: _refused(asked, 503, {"retry-after": "3600"}),
    "failing-once": lambda asked: _ok(review(asked)) if asked.earlier else _refused(asked, 500),
    "failing": lambda asked: _refused(asked, 500, {"retry-after": "0"}),
    "bad-gateway": lambda asked: _refused(asked, 502, {"retry-after": "0"}),
    "gateway-timeout": lambda asked: _refused(asked, 504, {"retry-after": "0"}),
    "no-key": lambda asked: _refused(asked, 401),
    "forbidden": lambda asked: _refused(asked, 403),
    "no-model": lambda asked: _refused(asked, 404),
    "knows-no-schema": lambda asked: _held(asked, {"json_object", "none"}),
    "knows-no-format": lambda asked: _held(asked, {"none"}),
    "bad-request": lambda asked: _refused(asked, 400),
    "endless-refusal": lambda asked: response(400, asked.mark.encode() + b" " * 5_000_000),
    "refused-in-no-charset": lambda asked: response(
        400, asked.mark.encode(), {"content-type": "text/plain; charset=base64"}
    ),
    "redirected": lambda asked: _refused(asked, 307, {"location": "/v1/elsewhere"}),
    "html": lambda asked: response(
        200, f"<html>maintenance {asked.mark}</html>".encode(), {"content-type": "text/html"}
    ),
    "stream": _stream,
    "stream-cut": lambda asked: _stream(asked, None),
    "error-in-stream": _stream_with_error,
    "no-choices": lambda asked: response(200, json.dumps({"choices": [], "note": asked.mark}).encode()),
    "error-in-body": lambda asked: response(
        200, json.dumps({"choices": [], "error": {"message": asked.mark}}).encode()
    ),
    "no-finish": lambda asked: _ok(review(asked), None),
    "cut-by-length": lambda asked: _ok(json.dumps(review(asked))[:-80], "length"),
    "filtered": lambda asked: _ok(json.dumps(review(asked)), "content_filter"),
    "tool-call": lambda asked: _ok(None, "tool_calls", tool_calls=[{"id": "1", "function": {"name": asked.mark}}]),
    "empty": lambda asked: _ok(""),
    "spaces": lambda asked: _ok("  \n" * 50),
    "in-reasoning": lambda asked: _ok("", reasoning_content=json.dumps(review(asked))),
    "in-reasoning-of-vllm": lambda asked: _ok(None, reasoning=json.dumps(review(asked))),
    "every-key-empty": lambda asked: _ok("", reasoning="", reasoning_content=""),
    "thinking-leaked": lambda asked: _ok(f"<think>hm {asked.mark}</think>{json.dumps(review(asked))}"),
    "prose": lambda asked: _ok(f"I would try four slots. {asked.mark}"),
    "cut-json": lambda asked: _ok(json.dumps(review(asked))[:-30]),
    "rambling": lambda asked: _ok(f"{json.dumps(review(asked))} I hope that this helps. {asked.mark}"),
    "same-key-twice": lambda asked: _ok(_twice(asked)),
    "wrong-shape": lambda asked: _ok(review(asked, ranking=["slots-4"])),
    "outside-enum": lambda asked: _ok(_outside_enum(asked)),
    "no-nonce": lambda asked: _ok(_without_nonce(asked)),
    "old-nonce": lambda asked: _ok(review(asked, nonce="0" * 12)),
    "other-count": lambda asked: _ok(review(asked, count=3)),
    "other-proposal": lambda asked: _ok(review(asked, proposal="0099-other")),
    "unknown-file": lambda asked: _ok(_cited(asked)),
    "echo": lambda asked: _ok(_echoed(asked)),
    "false-quotes": lambda asked: _ok(_misquoted(asked)),
    "very-long": lambda asked: _ok(asked.mark + "x" * 300_000),
    "endless-body": lambda asked: response(200, asked.mark.encode() + b" " * 5_000_000),
}
