"""Reading an engine's own endpoints: what is not there is absent."""

import asyncio

import pytest

from harness.adapters import asking
from harness.adapters.asking import get_json, get_metrics, json_object, served_models
from harness.adapters.exposition import Exposition
from tests.harness.small_server import Behaviour, serving


async def test_models_and_objects_of_a_real_server() -> None:
    async with serving(Behaviour(model="one")) as url:
        assert await served_models(url) == ("one",)
        assert await get_json(url, "/props") == {"total_slots": 4}
        assert await get_json(url, "/nothing") == {}
    assert await served_models(url) == ()


def test_what_is_no_object_is_empty() -> None:
    assert [json_object(text) for text in ("", "[1]", "<html>", "null")] == [{}, {}, {}, {}]
    assert json_object('{"a": 1}') == {"a": 1}
    assert json_object("[" * 100_000) == {} and json_object('{"a": ' + "1" * 10_000 + "}") == {}


HALF = "it answered half (the connection closed within a line)"


@pytest.mark.parametrize(
    ("raw", "found"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\na 1\n", Exposition({"a": 1.0})),
        (
            b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\na 1\n",
            Exposition(silent="it did not answer (RemoteProtocolError)"),
        ),
        (b"HTTP/1.1 200 OK\r\n\r\na 1\nb 2\n", Exposition({"a": 1.0, "b": 2.0})),
        (b"HTTP/1.1 200 OK\r\n\r\na 1\nb 2", Exposition(silent=HALF)),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\na 1\nb 2", Exposition({"a": 1.0, "b": 2.0})),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", Exposition(silent="its answer was empty")),
        (b"HTTP/1.1 503 Loading\r\nContent-Length: 0\r\n\r\n", Exposition(silent="it answered with status 503")),
        (b"HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n", Exposition()),
        (b"HTTP/1.1 501 Off\r\nContent-Length: 0\r\n\r\n", Exposition()),
        (None, Exposition(silent="it did not answer within 0.2 s")),
    ],
)
async def test_metrics_that_did_not_come_are_not_metrics_that_say_nothing(
    raw: bytes | None, found: Exposition, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A real server that is slow, stops half way, or has nothing to say yet."""
    monkeypatch.setattr(asking, "ASK_TIMEOUT_S", 0.2 if raw is None else 10.0)
    never = asyncio.Event()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(raw or b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n")
        if raw is None:
            await never.wait()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        assert await get_metrics(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}") == found
        never.set()


async def test_nobody_there_is_silence_with_its_reason() -> None:
    assert await get_metrics("http://127.0.0.1:1") == Exposition(silent="it did not answer (ConnectError)")
