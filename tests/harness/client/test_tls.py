"""https base URLs: verified by default, read like any other."""

import asyncio
from pathlib import Path

from harness.client.stream import Ask, connections, send
from harness.vocabulary.outcome import Reason
from tests.harness.client.certificates import ends
from tests.harness.client.raw_server import WORDS, answering, bytes_of, chunked, door, spoken

ASK = Ask("x", len(WORDS), 60)


async def test_a_trusted_server_is_read_over_tls(tmp_path: Path) -> None:
    both = ends(tmp_path, "localhost")
    async with answering(bytes_of(chunked(spoken(), 30)), both.server) as url, connections(both.trusting) as client:
        record = await send(client, door(url), ASK)
    assert record.ok and record.text == "".join(WORDS)
    assert 0 < record.connect_ms <= record.dispatch_delay_ms


async def test_a_server_that_nobody_vouches_for_is_refused(tmp_path: Path) -> None:
    both = ends(tmp_path, "localhost")
    async with answering(bytes_of(chunked(spoken(), 30)), both.server) as url, connections() as client:
        record = await send(client, door(url), ASK)
    assert record.reason is Reason.NOT_CONNECTED
    assert "its certificate is not trusted (self-signed certificate" in record.detail


async def test_a_certificate_of_another_name_is_refused(tmp_path: Path) -> None:
    both = ends(tmp_path, "elsewhere.example")
    async with answering(bytes_of(chunked(spoken(), 30)), both.server) as url, connections(both.trusting) as client:
        record = await send(client, door(url), ASK)
    assert record.reason is Reason.NOT_CONNECTED
    assert "its certificate is not trusted (Hostname mismatch" in record.detail


async def test_a_server_without_tls_is_refused_over_https() -> None:
    async def plain(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(plain, "127.0.0.1", 0) as server, connections() as client:
        port = server.sockets[0].getsockname()[1]
        record = await send(client, door(f"https://127.0.0.1:{port}"), ASK)
    assert record.reason is Reason.NOT_CONNECTED
    assert record.detail.startswith(f"cannot connect to 127.0.0.1:{port}: ")


async def test_a_handshake_that_never_ends_is_ended_by_the_wall_clock() -> None:
    silent = asyncio.Event()

    async def say_nothing(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await silent.wait()
        writer.close()

    async with await asyncio.start_server(say_nothing, "127.0.0.1", 0) as server, connections() as client:
        port = server.sockets[0].getsockname()[1]
        record = await send(client, door(f"https://127.0.0.1:{port}"), Ask("x", 4, 0.3))
        silent.set()
    assert (record.reason, record.detail) == (
        Reason.NOT_CONNECTED,
        f"no connection to 127.0.0.1:{port} within 0.3 s",
    )
