"""The client against a real server that behaves and misbehaves: every failure is a value with its reason."""

import json
import re
import time

import pytest

from harness.client.record import RequestRecord
from harness.client.stream import Ask, Door, connections, send
from harness.vocabulary.base import Scalar
from harness.vocabulary.outcome import Reason
from tests.harness.small_server import Behaviour, serving


def sampling(tokens: int) -> tuple[tuple[str, Scalar], ...]:
    return (("max_tokens", tokens), ("ignore_eos", True))


async def asked(behaviour: Behaviour, tokens: int = 20, timeout_s: float = 10) -> RequestRecord:
    async with serving(behaviour) as url, connections() as client:
        return await send(client, Door(url, "completions", "small", sampling), Ask("Once", tokens, timeout_s))


async def test_a_whole_answer_has_times_text_and_the_servers_count() -> None:
    behaviour = Behaviour(token_s=0.002)
    record = await asked(behaviour)
    assert record.ok and record.reason is None
    assert (record.tokens, len(record.stamps), record.prompt_tokens, record.finish_reason) == (20, 20, 5, "length")
    assert record.text.startswith(" the old harbour lay quiet")
    assert record.t_send < record.t_first < record.t_last <= record.t_end
    assert record.user_tok_s == pytest.approx(19 / (record.t_last - record.t_first))
    assert record.ttft_ms == pytest.approx((record.t_first - record.t_send) * 1000)
    assert record.as_json()["tokens"] == 20


async def test_what_is_sent_asks_for_exactly_that_many_tokens_at_temperature_zero() -> None:
    behaviour = Behaviour()
    await asked(behaviour, tokens=17)
    (body,) = behaviour.requests
    assert body["max_tokens"] == 17 and body["ignore_eos"] is True and body["temperature"] == 0 and body["seed"] == 1
    assert body["stream"] is True and body["stream_options"] == {"include_usage": True} and body["prompt"] == "Once"


def test_the_chat_api_gets_messages_at_its_own_address() -> None:
    door = Door("http://127.0.0.1:1/", "chat", "m", sampling)
    assert door.url == "http://127.0.0.1:1/v1/chat/completions"
    body = door.body(Ask("Hello", 8, 1))
    assert body["messages"] == [{"role": "user", "content": "Hello"}] and "prompt" not in body


def test_an_ask_may_name_another_path_messages_and_fields_of_its_own() -> None:
    door = Door("http://127.0.0.1:1", "chat", "m", sampling)
    image = '[{"role": "user", "content": [{"type": "text", "text": "What is it?"}]}]'
    body = door.body(Ask("", 8, 1, exact=False, messages_json=image, extra_json='{"temperature": 1, "tools": []}'))
    assert body["messages"] == json.loads(image) and body["temperature"] == 1 and body["tools"] == []
    assert body["max_tokens"] == 8 and "ignore_eos" not in body
    asked = Ask("Hello", 8, 1, path="/v1/responses", extra_json='{"priority": -1}')
    assert door.url_of(asked.path) == "http://127.0.0.1:1/v1/responses"
    responses = door.body(asked)
    assert (responses["input"], responses["max_output_tokens"], responses["priority"]) == ("Hello", 8, -1)
    assert "messages" not in responses and "stream_options" not in responses


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (Ask("x", 8, 1, extra_json="[1]"), "extra_json '[1]' is not a JSON object"),
        (Ask("x", 8, 1, messages_json="{}"), "messages_json '{}' is not a JSON list of messages"),
    ],
)
def test_json_of_the_wrong_shape_is_a_bug_of_whoever_asks(ask: Ask, words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        Door("http://127.0.0.1:1", "chat", "m", sampling).body(ask)


async def test_every_request_opens_its_own_connection() -> None:
    behaviour = Behaviour()
    async with serving(behaviour) as url, connections() as client:
        for _ in range(3):
            record = await send(client, Door(url, "completions", "m", sampling), Ask("x", 16, 10))
            assert record.ok
    assert behaviour.connections == 3


@pytest.mark.parametrize(
    ("mode", "reason", "words"),
    [
        ("status-500", Reason.REQUEST_FAILED, "status 500: <html>no luck</html>"),
        ("error-inside", Reason.REQUEST_FAILED, "out of blocks"),
        ("early-end", Reason.REQUEST_FAILED, "ended after 5 events without a finish reason"),
        ("short", Reason.TOO_FEW_TOKENS, "2 tokens came of 20 asked for"),
        ("no-usage", Reason.COUNT_MISMATCH, "no usage"),
        ("overcount", Reason.COUNT_MISMATCH, "counted 60 tokens of 20 asked for, but 20 events"),
    ],
)
async def test_a_bad_answer_is_a_value_with_its_reason(mode: str, reason: Reason, words: str) -> None:
    record = await asked(Behaviour(mode=mode))
    assert record.reason is reason
    assert words in record.detail


async def test_a_stream_that_drips_is_ended_by_the_wall_clock() -> None:
    began = time.monotonic()
    record = await asked(Behaviour(mode="hang"), timeout_s=0.4)
    assert time.monotonic() - began < 3
    assert record.reason is Reason.REQUEST_FAILED and "no end within 0.4 s" in record.detail
    assert len(record.stamps) == 5


async def test_nobody_listening_is_a_value() -> None:
    async with serving(Behaviour()) as url:
        pass
    async with connections() as client:
        record = await send(client, Door(url, "completions", "m", sampling), Ask("x", 16, 5))
    assert record.reason is Reason.REQUEST_FAILED
    assert record.detail == f"cannot connect to {url.removeprefix('http://')}: Connection refused"
    assert record.t_send == record.t_end and record.stamps == ()
