"""The transport against servers that answer byte by byte as written here."""

import asyncio
import gzip
import socket
import struct
import time

import pytest
import uvloop
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.client import exchange
from harness.client.record import RequestRecord
from harness.client.stream import Ask, connections, send
from harness.vocabulary.outcome import Reason
from tests.harness.client.raw_server import OK, WORDS, Answer, answering, bytes_of, chunk, chunked, door, sized, spoken

ASK = Ask("x", len(WORDS), 60)


async def answered(answer: Answer, ask: Ask = ASK) -> RequestRecord:
    async with answering(answer) as url, connections() as client:
        return await send(client, door(url), ask)


@pytest.mark.parametrize(
    "raw",
    [
        sized(spoken()),
        chunked(spoken(), 7),
        chunked(spoken(), 10_000),
        OK + b"\r\n" + spoken(),
        b"HTTP/1.1 100 Continue\r\n\r\n" + sized(spoken()),
        sized(spoken()).replace(b"HTTP/1.1", b"HTTP/1.0"),
    ],
    ids=["sized", "small chunks", "one chunk", "until the end", "announced", "HTTP/1.0"],
)
async def test_every_framing_of_a_body_is_read(raw: bytes) -> None:
    record = await answered(bytes_of(raw))
    assert record.ok, record.detail
    assert (record.text, record.tokens, record.prompt_tokens) == ("".join(WORDS), 4, 3)
    assert record.t_send <= record.t_first <= record.t_last <= record.t_end


async def test_the_answer_ends_with_its_last_byte_not_with_the_connection() -> None:
    async def kept_open(writer: asyncio.StreamWriter) -> None:
        writer.write(chunked(spoken(), 50))
        await writer.drain()
        await asyncio.Event().wait()

    record = await answered(kept_open)
    assert record.ok and record.t_end - record.t_send < 30


async def test_a_stamp_is_the_arrival_of_its_event() -> None:
    sent: list[float] = []

    async def slowly(writer: asyncio.StreamWriter) -> None:
        writer.write(OK + b"Transfer-Encoding: chunked\r\n\r\n")
        for piece in spoken().split(b"\n\n")[:-1]:
            await asyncio.sleep(0.02)
            sent.append(time.perf_counter())
            writer.write(chunk(piece + b"\n\n"))
            await writer.drain()
        writer.write(chunk(b""))

    record = await answered(slowly)
    assert record.ok and len(record.stamps) == 4
    assert [after - before < 10 for before, after in zip(sent, record.stamps, strict=False)] == [True] * 4
    assert all(after > before for before, after in zip(sent, record.stamps, strict=False))


def reset(writer: asyncio.StreamWriter) -> None:
    """Close with a reset instead of an end."""
    sock = writer.get_extra_info("socket")
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"", "the server closed the connection without an answer"),
        (b"SSH-2.0-OpenSSH_9.2\r\n", "the server does not speak HTTP/1: "),
        (b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n", "does not speak HTTP/1"),
        (sized(spoken())[:-9], "the server closed the connection within its answer, after "),
        (chunked(spoken(), 40)[:-20], "the server closed the connection within its answer, after "),
        (OK + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", "the server does not speak HTTP/1: "),
        (b"HTTP/1.1 503 No\r\nContent-Length: 15\r\n\r\nLoading\n  model", "status 503: Loading model"),
        (b"HTTP/1.1 307 Go\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n", "status 307: "),
        (
            OK + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(spoken()),
            "the server compressed its answer (gzip) although it was asked not to",
        ),
    ],
)
async def test_a_broken_answer_is_a_value_with_its_sentence(raw: bytes, words: str) -> None:
    record = await answered(bytes_of(raw))
    kinds = {"the server closed": Reason.CONNECTION_LOST, "status ": Reason.BAD_STATUS}
    known = [reason for begins, reason in kinds.items() if words.startswith(begins)]
    assert record.reason is (known or [Reason.REQUEST_FAILED])[0]
    assert words in record.detail


async def test_a_reset_keeps_what_came_before_it() -> None:
    first = spoken(WORDS[:1]).split(b"\n\n")[0] + b"\n\n"

    async def cut(writer: asyncio.StreamWriter) -> None:
        writer.write(OK + b"Transfer-Encoding: chunked\r\n\r\n" + chunk(first))
        await writer.drain()
        await asyncio.sleep(0.1)
        reset(writer)

    record = await answered(cut)
    assert record.reason is Reason.CONNECTION_LOST
    assert f"the connection was lost after {len(first)} bytes of answer" in record.detail
    assert (record.text, len(record.stamps)) == (WORDS[0], 1)


async def test_an_endless_answer_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "MAX_BODY_BYTES", 1000)

    async def endless(writer: asyncio.StreamWriter) -> None:
        writer.write(OK + b"\r\n")
        while True:
            writer.write(b": still here\n" * 10)
            await writer.drain()

    record = await answered(endless)
    assert (record.reason, record.detail) == (Reason.REQUEST_FAILED, "the answer is larger than 1000 bytes")


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 400), st.integers(1, 400))
def test_how_bytes_and_chunks_are_cut_never_changes_the_answer(chunk_size: int, write_size: int) -> None:
    raw = chunked(spoken(), chunk_size)

    async def in_pieces(writer: asyncio.StreamWriter) -> None:
        for at in range(0, len(raw), write_size):
            writer.write(raw[at : at + write_size])
            await asyncio.sleep(0)

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        record = runner.run(answered(in_pieces))
    assert record.ok and record.text == "".join(WORDS)
