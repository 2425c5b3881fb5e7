"""The client against a real server that behaves and misbehaves: every failure is a value with its reason."""

import asyncio
import json
import re
import time

import pytest

from harness.client import stream
from harness.client.exchange import Exchange
from harness.client.record import RequestRecord
from harness.client.stream import READ_SLICE_BYTES, Ask, Door, connections, send
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


def test_messages_are_never_dropped_silently() -> None:
    door = Door("http://127.0.0.1:1", "completions", "m", sampling)
    messages = '[{"role": "user", "content": "Hi"}]'
    with pytest.raises(ValueError, match="takes no messages"):
        door.body(Ask("", 8, 1, messages_json=messages))
    assert door.body(Ask("", 8, 1, path="/v1/chat/completions", messages_json=messages))["messages"]


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
        ("status-500", Reason.BAD_STATUS, "status 500: <html>no luck</html>"),
        ("error-inside", Reason.STREAM_ERROR, "out of blocks"),
        ("early-end", Reason.STREAM_CUT, "ended after 5 events without a finish reason"),
        ("short", Reason.TOO_FEW_TOKENS, "2 tokens came of 20 asked for"),
        ("no-usage", Reason.NO_USAGE, "no usage"),
        ("overcount", Reason.OVERCOUNTED, "counted 60 tokens of 20 asked for, but 20 events"),
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
    assert record.reason is Reason.NO_END and "no end within 0.4 s" in record.detail
    assert len(record.stamps) == 5


async def test_nobody_listening_is_a_value() -> None:
    async with serving(Behaviour()) as url:
        pass
    async with connections() as client:
        record = await send(client, Door(url, "completions", "m", sampling), Ask("x", 16, 5))
    assert record.reason is Reason.NOT_CONNECTED
    assert record.detail == f"cannot connect to {url.removeprefix('http://')}: Connection refused"
    assert record.t_send == record.t_end and record.stamps == ()


async def test_a_request_with_a_due_time_is_sent_then_over_a_connection_that_is_open_already(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(stream, "CONNECT_AHEAD_S", 5)
    async with serving(Behaviour()) as url, connections() as client:
        due = time.perf_counter() + 0.8
        record = await send(client, Door(url, "completions", "m", sampling), Ask("x", 16, 10, due=due))
    assert record.ok and record.t_send >= due
    assert record.dispatch_delay_ms == pytest.approx((record.t_send - due) * 1000)
    assert record.connect_ms == 0


async def test_a_request_that_was_held_up_says_by_how_much() -> None:
    async with serving(Behaviour()) as url, connections() as client:
        late = Ask("x", 16, 10, due=time.perf_counter() - 0.2)
        record = await send(client, Door(url, "completions", "m", sampling), late)
        load = client.load()
    assert record.ok and record.dispatch_delay_ms > 200
    assert load.bound and "it sent 2" in load.sentence


async def test_the_time_limit_counts_from_when_a_request_is_due() -> None:
    async with serving(Behaviour()) as url, connections() as client:
        ask = Ask("x", 16, 0.25, due=time.perf_counter() + 0.5)
        assert (await send(client, Door(url, "completions", "m", sampling), ask)).ok


async def test_the_client_says_what_it_cost() -> None:
    async with serving(Behaviour()) as url, connections() as client:
        door = Door(url, "completions", "m", sampling)
        await asyncio.gather(*(send(client, door, Ask("x", 50, 10)) for _ in range(4)))
        load = client.load()
    assert load.requests == 4 and 4 <= load.events <= 4 * 53
    assert load.cpu_s > 0 and load.open_s > 0 and load.dispatch_max_ms >= load.dispatch_p99_ms > 0


async def test_a_name_is_looked_up_and_each_of_its_addresses_is_tried() -> None:
    async with serving(Behaviour()) as url, connections() as client:
        named = Door(url.replace("127.0.0.1", "localhost"), "completions", "m", sampling)
        assert [(await send(client, named, Ask("x", 16, 5))).ok for _ in range(2)] == [True, True]
        nobody = Door("http://nobody.invalid:8080", "completions", "m", sampling)
        record = await send(client, nobody, Ask("x", 16, 5))
    assert record.reason is Reason.NOT_CONNECTED
    assert record.detail.startswith("cannot connect to nobody.invalid:8080: ")


async def test_an_address_that_is_none_is_a_bug_of_whoever_asks() -> None:
    async with connections() as client:
        with pytest.raises(ValueError, match="is no address of a server"):
            await send(client, Door("127.0.0.1:80", "chat", "m", sampling), Ask("x", 16, 5))


async def test_a_cancelled_request_ends_at_once_and_leaves_nothing_behind() -> None:
    async with serving(Behaviour(mode="hang")) as url, connections() as client:
        door = Door(url, "completions", "m", sampling)
        sending = asyncio.ensure_future(send(client, door, Ask("x", 20, 30)))
        await asyncio.sleep(0.1)
        sending.cancel()
        with pytest.raises(asyncio.CancelledError):
            await sending
        assert client.load().requests == 0
        assert (await send(client, door, Ask("x", 3, 5))).ok


async def test_an_answer_is_read_in_slices_between_which_other_streams_have_their_turn() -> None:
    turns = 0

    async def turning() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += 1

    async with connections() as client:
        long = Exchange(b"")
        piece = b'data: {"choices": [{"text": "word"}]}\n\n'
        long.pieces = [piece] * 1000
        long.stamps = [float(at) for at in range(1000)]
        other = asyncio.ensure_future(turning())
        reading = await client.read(long)
        other.cancel()
        await asyncio.wait([other])
    assert reading.stamps == tuple(long.stamps) and reading.text == "word" * 1000
    slices = len(piece) * 1000 // (READ_SLICE_BYTES + len(piece))
    assert slices - 1 <= turns <= slices + 1
