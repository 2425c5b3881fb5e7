"""What streams are made of, field by field, and asking a real server once."""

import json

import pytest

from harness.workflow.probe import Field, NotProbed, Probed, Question, anatomy, probe
from tests.harness.small_server import Behaviour, serving


def stream(*values: object) -> bytes:
    """Server-sent events."""
    return b"".join(b"data: " + json.dumps(value).encode() + b"\n\n" for value in values)


def chat(**delta: object) -> dict[str, object]:
    """One streamed event of a chat."""
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}


def test_an_empty_content_beside_a_full_reasoning() -> None:
    body = stream(
        chat(role="assistant", content=""),
        chat(content="", reasoning="Let"),
        chat(content="", reasoning=" me"),
        {"choices": [{"delta": {"content": None}, "finish_reason": "length"}]},
        {"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 2}},
    )
    seen = anatomy(body + b"data: [DONE]\n\n")
    assert seen.fields == (Field("content", 0, 3, 1), Field("reasoning", 2, 0, 0))
    assert seen.text_fields == ("reasoning",)
    assert seen.usage == {"prompt_tokens": 5, "completion_tokens": 2}
    assert (seen.events, seen.finish_reasons, seen.done, seen.broken) == (5, ("length",), True, 0)


def test_both_names_of_reasoning_are_shown() -> None:
    seen = anatomy(stream(chat(reasoning="a", reasoning_content="a"), chat(reasoning="", reasoning_content="")))
    assert seen.fields == (Field("reasoning", 1, 1, 0), Field("reasoning_content", 1, 1, 0))
    assert not seen.done and seen.usage == {}


def test_a_whole_answer_and_completions() -> None:
    message = {"role": "assistant", "content": "x", "reasoning_content": "y", "tool_calls": []}
    seen = anatomy(json.dumps({"choices": [{"message": message, "finish_reason": "stop"}]}).encode())
    assert seen.text_fields == ("content", "reasoning_content") and seen.events == 1
    assert Field("tool_calls", 0, 1, 0) in seen.fields
    assert anatomy(stream({"choices": [{"text": " red"}]}, {"choices": [{"text": ""}]})).fields == (
        Field("text", 1, 1, 0),
    )


def test_errors_inside_and_what_is_no_json() -> None:
    seen = anatomy(stream({"error": {"message": "out of blocks"}}) + b"data: {half\n")
    assert "out of blocks" in seen.error and seen.broken == 1 and seen.text_fields == ()
    assert anatomy(b"<html>no luck</html>").broken == 1
    assert anatomy(b"").events == 0


@pytest.mark.parametrize("beyond", ["", "/", "/v1", "/v1/"])
async def test_a_real_server_is_asked_once(beyond: str) -> None:
    behaviour = Behaviour()
    async with serving(behaviour) as url:
        seen = await probe(Question(url + beyond, "completions", key="k"))
    assert isinstance(seen, Probed) and seen.status == 200 and seen.model == "small"
    assert seen.anatomy.text_fields == ("text",) and seen.anatomy.done
    assert seen.head.startswith(b'data: {"choices"') and len(seen.head) == 1024
    assert len(behaviour.requests) == 1 and seen.as_json()["head"].startswith("b'data: ")
    assert "key" not in seen.as_json()


async def test_a_status_that_is_no_answer_is_shown() -> None:
    async with serving(Behaviour(mode="status-500")) as url:
        seen = await probe(Question(url, "completions"))
    assert isinstance(seen, Probed) and seen.status == 500 and seen.head == b"<html>no\n luck</html>"


@pytest.mark.parametrize("url", ["http://127.0.0.1:9", "http://[bad", "http://127.0.0.1:99999"])
async def test_nobody_there(url: str) -> None:
    seen = await probe(Question(url))
    assert isinstance(seen, NotProbed) and "cannot be asked" in seen.sentence
