"""The parser of server-sent events: what counts as text, as a token's arrival, as an error."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.client.record import ToolCall
from harness.client.sse import Arrival, read


def stream(*values: object) -> list[Arrival]:
    """One event a second, the first at 10 s."""
    return [
        Arrival(10.0 + index, b"data: " + (value if isinstance(value, str) else json.dumps(value)).encode() + b"\n\n")
        for index, value in enumerate(values)
    ]


def chat(finish: str | None = None, **delta: object) -> dict[str, object]:
    return {"choices": [{"delta": delta, "finish_reason": finish}]}


def test_role_only_and_empty_chunks_are_not_the_first_token() -> None:
    seen = read(stream(chat(role="assistant"), chat(content=""), chat(content="Hi"), chat(finish="stop"), "[DONE]"))
    assert (seen.text, seen.stamps, seen.finish_reason) == ("Hi", (12.0,), "stop")


@pytest.mark.parametrize("key", ["content", "reasoning", "reasoning_content"])
def test_text_is_read_from_every_key(key: str) -> None:
    other = {"content", "reasoning", "reasoning_content"} - {key}
    seen = read(stream(chat(**{key: "a", **dict.fromkeys(other, "")}), chat(**{key: "b"})))
    assert (seen.text, seen.stamps) == ("ab", (10.0, 11.0))


def test_two_keys_with_the_same_thought_count_once() -> None:
    seen = read(stream(chat(reasoning="think", reasoning_content="think")))
    assert (seen.text, seen.stamps) == ("think", (10.0,))


def test_thought_and_answer_in_one_event_are_one_arrival() -> None:
    seen = read(stream(chat(reasoning="so", content="yes")))
    assert (seen.text, seen.stamps) == ("soyes", (10.0,))


def test_completions_api_usage_and_cached_tokens() -> None:
    seen = read(
        stream(
            {"choices": [{"text": " one"}]},
            {"choices": [{"text": " two", "finish_reason": "length"}]},
            {
                "choices": [],
                "usage": {
                    "prompt_tokens": 9,
                    "completion_tokens": 6,
                    "prompt_tokens_details": {"cached_tokens": 4},
                },
            },
        )
    )
    assert (seen.text, seen.tokens, seen.prompt_tokens, seen.cached_tokens) == (" one two", 6, 9, 4)


def call(index: int | None, name: str | None = None, arguments: str | None = None) -> dict[str, object]:
    function = {key: value for key, value in (("name", name), ("arguments", arguments)) if value is not None}
    return {"function": function} | ({} if index is None else {"index": index})


def test_the_pieces_of_a_tool_call_are_joined_and_each_is_an_arrival() -> None:
    seen = read(
        stream(
            chat(tool_calls=[call(0, "weather", "")]),
            chat(tool_calls=[call(0, None, '{"town": '), call(1, "time")]),
            chat(tool_calls=[call(0, None, '"Taipei"}')]),
            chat(tool_calls=[call(1, "time", "{}")]),
            chat(finish="tool_calls"),
        )
    )
    assert seen.tool_calls == (ToolCall("weather", '{"town": "Taipei"}'), ToolCall("time", "{}"))
    assert (seen.text, seen.stamps, seen.finish_reason) == ("", (10.0, 11.0, 12.0, 13.0), "tool_calls")


def test_without_an_index_a_name_begins_the_next_call() -> None:
    pieces = [call(None, "a", "{"), call(None, None, "}"), call(None, "b", "[]")]
    assert read(stream(chat(tool_calls=pieces))).tool_calls == (ToolCall("a", "{}"), ToolCall("b", "[]"))


def test_the_responses_api_is_read() -> None:
    seen = read(
        stream(
            {"type": "response.created", "response": {"usage": None}},
            {"type": "response.reasoning_text.delta", "delta": "so "},
            {"type": "response.output_text.delta", "delta": "yes"},
            {"type": "response.output_text.done", "text": "yes"},
            {"type": "response.output_item.added", "output_index": 2, "item": {"type": "function_call", "name": "f"}},
            {"type": "response.function_call_arguments.delta", "output_index": 2, "delta": "{}"},
            {
                "type": "response.incomplete",
                "response": {
                    "usage": {
                        "input_tokens": 9,
                        "output_tokens": 4,
                        "input_tokens_details": {"cached_tokens": 3},
                    }
                },
            },
        )
    )
    assert (seen.text, seen.stamps, seen.tool_calls) == ("so yes", (11.0, 12.0, 14.0, 15.0), (ToolCall("f", "{}"),))
    assert (seen.prompt_tokens, seen.cached_tokens, seen.tokens, seen.finish_reason) == (9, 3, 4, "length")


@pytest.mark.parametrize(
    "event",
    [
        {"type": "error", "message": "no room"},
        {"type": "response.failed", "response": {"error": {"message": "no room"}}},
        {"object": "error", "message": "no room", "type": "BadRequestError", "code": 400},
    ],
)
def test_other_shapes_of_an_error_are_errors(event: dict[str, object]) -> None:
    seen = read(stream(chat(content="a"), event))
    assert seen.error is not None and "no room" in seen.error


def test_a_body_that_is_no_stream_is_said_to_be_none() -> None:
    seen = read([Arrival(1.0, b'{"choices": [{"message": '), Arrival(2.0, b'{"content": "whole"}}]}')])
    assert seen.broken is not None and seen.broken.startswith('the answer is no stream of events: \'{"choices"')


def test_an_error_inside_the_stream_is_kept_in_the_servers_words() -> None:
    seen = read(stream(chat(content="a"), {"error": {"message": "out of memory"}}, chat(content="b")))
    assert seen.error is not None and "out of memory" in seen.error
    assert seen.text == "a"


def test_an_error_field_that_is_null_is_no_error() -> None:
    assert read(stream({"error": None, **chat(content="a")})).error is None


@pytest.mark.parametrize("payload", ["<html>", "[1, 2]", '{"choices": [', "null"])
def test_an_event_that_is_no_object_breaks_the_reading(payload: str) -> None:
    assert read(stream(chat(content="a"), payload)).broken is not None


@pytest.mark.parametrize(
    "usage", [{"completion_tokens": "7"}, {"completion_tokens": -1}, {"completion_tokens": True}, {}]
)
def test_a_count_that_is_no_count_is_unknown(usage: dict[str, object]) -> None:
    assert read(stream({"choices": [], "usage": usage})).tokens is None


def test_comments_and_other_fields_are_not_events() -> None:
    raw = b": ping\n\nevent: x\nid: 3\n" + stream(chat(content="a"))[0].data
    assert read([Arrival(1.0, raw)]).stamps == (1.0,)


def test_an_event_arrives_with_its_last_byte() -> None:
    whole = stream(chat(content="abc"))[0].data
    assert read([Arrival(1.0, whole[:9]), Arrival(2.0, whole[9:])]).stamps == (2.0,)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.text(min_size=1, max_size=8), min_size=1, max_size=12), st.integers(1, 7))
def test_how_the_bytes_are_cut_never_changes_the_text(pieces: list[str], size: int) -> None:
    raw = b"".join(arrival.data for arrival in stream(*(chat(content=piece) for piece in pieces)))
    cut = [Arrival(float(at), raw[at : at + size]) for at in range(0, len(raw), size)]
    seen = read(cut)
    assert seen.text == "".join(pieces)
    assert len(seen.stamps) == len(pieces)
    assert list(seen.stamps) == sorted(seen.stamps)


def test_places_for_text_that_are_empty_are_counted_and_a_role_is_none() -> None:
    seen = read(stream(chat(role="assistant", content=""), chat(content=""), chat(reasoning=""), chat(content="a")))
    assert (seen.empty, seen.text, seen.foreign) == (2, "a", False)
    assert read([Arrival(1.0, b"<html>\n")]).foreign
