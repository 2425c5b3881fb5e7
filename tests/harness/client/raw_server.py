"""A real server that answers one request with exactly the bytes a test wrote, and the bytes of a good answer."""

import asyncio
import json
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager

from harness.client.stream import Door
from harness.vocabulary.base import Scalar

Answer = Callable[[asyncio.StreamWriter], Awaitable[None]]
OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
WORDS = ("the ", "old ", "harbour ", "lay ")


def sampling(tokens: int) -> tuple[tuple[str, Scalar], ...]:
    return (("max_tokens", tokens), ("ignore_eos", True))


def door(url: str) -> Door:
    return Door(url, "chat", "m", sampling)


def event(value: object) -> bytes:
    return b"data: " + json.dumps(value).encode() + b"\n\n"


def spoken(words: Sequence[str] = WORDS) -> bytes:
    """A good stream of chat events, its body alone."""
    said = [event({"choices": [{"delta": {"content": word}}]}) for word in words]
    end = event({"choices": [{"delta": {}, "finish_reason": "length"}]})
    usage = event({"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": len(words)}})
    return b"".join((*said, end, usage, b"data: [DONE]\n\n"))


def sized(body: bytes) -> bytes:
    """An answer that says its length."""
    return OK + f"Content-Length: {len(body)}\r\n\r\n".encode() + body


def chunked(body: bytes, size: int) -> bytes:
    """An answer in chunks of `size` bytes."""
    cut = [body[at : at + size] for at in range(0, len(body), size)]
    return OK + b"Transfer-Encoding: chunked\r\n\r\n" + b"".join(chunk(piece) for piece in (*cut, b""))


def chunk(piece: bytes) -> bytes:
    return f"{len(piece):x}\r\n".encode() + piece + b"\r\n"


def bytes_of(raw: bytes) -> Answer:
    async def answer(writer: asyncio.StreamWriter) -> None:
        writer.write(raw)

    return answer


@asynccontextmanager
async def answering(answer: Answer, tls: ssl.SSLContext | None = None, host: str = "127.0.0.1") -> AsyncIterator[str]:
    """Serve; gives the base address. The request is read whole before it is answered."""
    tasks: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            tasks.add(task)
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            length = next(int(line[15:]) for line in head.lower().splitlines() if line.startswith(b"content-length:"))
            await reader.readexactly(length)
            await answer(writer)
            await writer.drain()
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, host, 0, ssl=tls)
    try:
        port = server.sockets[0].getsockname()[1]
        yield f"{'https' if tls else 'http'}://{'localhost' if tls else host}:{port}"
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
