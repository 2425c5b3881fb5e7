"""Events that differ only in their text are read as if each were parsed, in every form that engines write them."""

import json
from collections.abc import Callable, Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.client import sse
from harness.client.alike import Alike
from harness.client.said import Said, said_by
from harness.client.sse import Arrival, Reading, read

Form = Callable[[str], Mapping[str, object]]
FORMS: dict[str, Form] = {
    "chat": lambda text: {"id": "c-1", "choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]},
    "thinking": lambda text: {"choices": [{"delta": {"reasoning_content": text, "content": None}}]},
    "both keys": lambda text: {"choices": [{"delta": {"reasoning": text, "reasoning_content": text}}]},
    "log-probabilities": lambda text: {"choices": [{"text": text, "logprobs": {"tokens": [text]}}]},
    "completions": lambda text: {"choices": [{"text": text}], "usage": None},
    "counted": lambda text: {"choices": [{"text": text}], "usage": {"completion_tokens": 3}},
    "responses": lambda text: {"type": "response.output_text.delta", "delta": text, "note": "the delta"},
}
TEXTS = st.text() | st.sampled_from(
    ["", " the", ",", ", ", ":", "content", "delta", "~", '"', "\\", "\\n", "\n", "\x7f", "é", "世界", '"}]}']
)


def stream(form: Form, texts: list[str], ascii_only: bool, tight: bool) -> list[Arrival]:
    separators = (",", ":") if tight else (", ", ": ")
    said = [json.dumps(form(text), ensure_ascii=ascii_only, separators=separators) for text in texts]
    return [Arrival(float(at), f"data: {line}\n\n".encode()) for at, line in enumerate(said)]


def parsed(arrivals: list[Arrival]) -> Reading:
    """The same with every event parsed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sse, "LOOKS_AT_FIRST", 0)
        return read(arrivals)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(FORMS)), st.lists(TEXTS, max_size=12), st.booleans(), st.booleans())
def test_what_is_read_without_parsing_is_what_parsing_reads(
    form: str, texts: list[str], ascii_only: bool, tight: bool
) -> None:
    arrivals = stream(FORMS[form], [text.encode(errors="ignore").decode() for text in texts], ascii_only, tight)
    assert read(arrivals) == parsed(arrivals)


def test_a_form_is_taken_from_one_event_and_reads_others() -> None:
    payload = json.dumps(FORMS["chat"](" the")).encode()
    form = Alike.of(payload, said_by(json.loads(payload)))
    assert form is not None and form.before.endswith(b'"content": "')
    assert form.text(json.dumps(FORMS["chat"](" harbour")).encode()) == " harbour"


@pytest.mark.parametrize(
    "payload",
    [
        json.dumps(FORMS["chat"]('a "b"')).encode(),
        json.dumps(FORMS["chat"]("")).encode(),
        json.dumps(FORMS["responses"](" x")).encode(),
        json.dumps(FORMS["chat"]("x")).encode().replace(b'"x"', b'"\xff"'),
        json.dumps(FORMS["chat"]("x")).encode()[:-1],
        json.dumps(FORMS["chat"]("x")).encode().replace(b"null", b'"stop"'),
    ],
    ids=["escaped", "empty", "another form", "no UTF-8", "cut", "with an end"],
)
def test_what_is_of_another_form_is_left_to_the_parser(payload: bytes) -> None:
    first = json.dumps(FORMS["chat"](" the")).encode()
    form = Alike.of(first, said_by(json.loads(first)))
    assert form is not None and form.text(payload) is None


@pytest.mark.parametrize(
    ("payload", "text"),
    [
        (b'{"content": "", "choices": [{"text": "content"}]}', "content"),
        (b'{"choices": [{"text": "\\u0069d"}], "id": 1}', "id"),
        (b'{"a":"b","choices":[{"text":"\\u002c"}]}', ","),
        (b'{"choices": [{"text": "x", "finish_reason": "stop"}]}', "x"),
    ],
    ids=["twice", "elsewhere", "between two strings", "says more"],
)
def test_where_the_place_of_the_text_is_not_certain_there_is_no_form(payload: bytes, text: str) -> None:
    said = said_by(json.loads(payload))
    assert said.text == text and Alike.of(payload, said) is None
    assert Alike.of(payload, Said()) is None


def test_a_server_whose_events_never_are_alike_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[bytes] = []

    class Counted(Alike):
        @classmethod
        def of(cls, payload: bytes, said: Said) -> "Alike | None":  # type: ignore[override]
            looked.append(payload)
            return Alike.of(payload, said)

    monkeypatch.setattr(sse, "Alike", Counted)
    events = [{"choices": [{"text": f"word {at}"}], "id": at} for at in range(40)]
    seen = read([Arrival(at, f"data: {json.dumps(event)}\n\n".encode()) for at, event in enumerate(events)])
    assert len(looked) == sse.LOOKS_AT_FIRST and len(seen.stamps) == 40
