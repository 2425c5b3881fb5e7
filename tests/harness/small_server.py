"""A small real HTTP server that serves `/v1/models`, streamed completions and `/metrics`, and misbehaves on request.

Runs inside a test (`serving`) or as a process (`python small_server.py --port N --mode ...`). Standard library only.
"""

import argparse
import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

TEXT = (
    "the old harbour lay quiet under a grey morning sky while fishermen carried nets towards small wooden boats and "
    "children counted gulls along the stone wall because somebody had promised them a coin for every bird that they "
    "could name before noon when bells would ring from both towers and markets opened with bread cheese apples honey "
    "candles rope lamp oil and letters from distant cities nobody here has ever seen"
)
WORDS = TEXT.split()


@dataclass
class Behaviour:
    """What the server does; `requests` keeps the bodies it was sent."""

    mode: str = "good"
    model: str = "small"
    token_s: float = 0.0
    workers: int = 4
    die_after: int = 0  # the process ends in the middle of this request, counted from 1
    requests: list[dict[str, object]] = field(default_factory=list)
    connections: int = 0
    running: int = 0  # answers that are being streamed now
    looked: int = 0  # times that its counters were asked for
    step: Callable[[int], int] = int  # the work of one token: from its number to that of its word


def say(line: str) -> None:
    """One line of the server's own log, at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def frame(value: object) -> bytes:
    """One server-sent event."""
    return b"data: " + (value if isinstance(value, str) else json.dumps(value)).encode() + b"\n\n"


def delta(text: str, finish: str | None = None) -> bytes:
    """One event of the completions API."""
    return frame({"choices": [{"text": text, "index": 0, "finish_reason": finish}]})


def usage(tokens: int, prompt: int = 5) -> bytes:
    """The event that carries the server's own count."""
    return frame({"choices": [], "usage": {"prompt_tokens": prompt, "completion_tokens": tokens}})


def text_of(index: int, mode: str) -> str:
    """The token number `index` of an answer."""
    return "<h2>" if mode == "degenerate" else f" {WORDS[index % len(WORDS)]}"


async def answer(writer: asyncio.StreamWriter, behaviour: Behaviour, body: dict[str, object]) -> None:
    """Stream one answer, well or badly."""
    mode, asked = behaviour.mode, int(str(body.get("max_tokens", 16)))
    tokens = 2 if mode == "short" else asked
    for index in range(tokens):
        if behaviour.die_after and len(behaviour.requests) >= behaviour.die_after and index == 3:
            say("ERROR: engine core died of a test")
            os._exit(9)
        if mode == "error-inside" and index == 5:
            writer.write(frame({"error": {"message": "out of blocks", "code": 500}}))
            return
        if mode == "early-end" and index == 5:
            return
        if mode == "hang" and index == 5:
            await asyncio.Event().wait()
        writer.write(delta(text_of(behaviour.step(index), mode)))
        await writer.drain()
        await asyncio.sleep(behaviour.token_s)
    writer.write(delta("", "length"))
    if mode != "no-usage":
        writer.write(usage(tokens + (40 if mode == "overcount" else 0)))
    writer.write(frame("[DONE]"))


def counters(behaviour: Behaviour) -> str:
    """Tokens counted as llama.cpp publishes them; a stranger's tokens appear once requests were served."""
    prompt, tokens = 5 * len(behaviour.requests), sum(int(str(body["max_tokens"])) for body in behaviour.requests)
    tokens += 7 if behaviour.mode == "stranger" and tokens else 0
    said = f"llamacpp:prompt_tokens_total {prompt}\nllamacpp:tokens_predicted_total {tokens}\n"
    gauges = f"llamacpp:requests_processing {behaviour.running}\nllamacpp:requests_deferred 0\n"
    return said if behaviour.mode == "uncounted" else said + gauges


async def respond(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, behaviour: Behaviour) -> None:
    """One connection, one request."""
    behaviour.connections += 1
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        path = head.split()[1]
        length = next((int(line[15:]) for line in head.lower().splitlines() if line.startswith("content-length:")), 0)
        body = await reader.readexactly(length)
        status = "500 Broken" if behaviour.mode == "status-500" and path.endswith("completions") else "200 OK"
        if path == "/metrics":
            behaviour.looked += 1
            quiet = behaviour.mode == "silent-metrics" or (behaviour.mode == "late-metrics" and behaviour.looked % 2)
            status = "503 Busy" if quiet else status
        writer.write(f"HTTP/1.1 {status}\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n".encode())
        if path == "/v1/models":
            writer.write(json.dumps({"data": [{"id": behaviour.model}]}).encode())
        elif path == "/props":
            writer.write(json.dumps({"total_slots": behaviour.workers}).encode())
        elif path == "/metrics":
            writer.write(counters(behaviour).encode())
        elif status != "200 OK":
            writer.write(b"<html>no\n luck</html>")
        elif path.endswith("completions"):
            behaviour.requests.append(json.loads(body))
            behaviour.running += 1
            try:
                await answer(writer, behaviour, behaviour.requests[-1])
            finally:
                behaviour.running -= 1
        await writer.drain()
    except (ConnectionError, asyncio.IncompleteReadError):
        pass
    finally:
        writer.close()


@asynccontextmanager
async def serving(behaviour: Behaviour) -> AsyncIterator[str]:
    """The server inside a test; gives its base address."""
    tasks: set[asyncio.Task[None]] = set()

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            tasks.add(task)
        await respond(reader, writer, behaviour)

    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def run(options: argparse.Namespace, step: Callable[[int], int] = int) -> None:
    """The server as a process: its log says where it listens, unless it is told to stay silent or to lie."""
    model = "another" if options.mode == "another-model" else options.alias
    behaviour = Behaviour(options.mode, model, options.token_s, options.workers, options.die_after, step=step)
    if options.mode == "refuse":
        raise SystemExit("ValueError: partition size 2048 is not supported")

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await respond(reader, writer, behaviour)

    children = [await asyncio.create_subprocess_exec("sleep", "300") for _ in range(options.processes)]
    server = await asyncio.start_server(accept, "127.0.0.1", options.port)
    port = server.sockets[0].getsockname()[1]
    if options.mode != "silent":
        said = options.claim or f"http://127.0.0.1:{port}"
        say(f"WORKER ARMED x/{options.workers}\ntoken_s = {options.token_s}\nlistening on {said}")
    if not children:
        await asyncio.Event().wait()
    await asyncio.wait([asyncio.ensure_future(child.wait()) for child in children], return_when="FIRST_COMPLETED")
    raise SystemExit("RuntimeError: a worker process died")


def main(argv: Sequence[str] | None = None, step: Callable[[int], int] = int) -> None:
    """The command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--mode", default="good")
    parser.add_argument("--host", default="127.0.0.1", choices=["127.0.0.1"])
    parser.add_argument("--alias", default="small")
    parser.add_argument("--token-s", type=float, default=0.0)
    parser.add_argument("--die-after", type=int, default=0)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--processes", type=int, default=0, help="worker processes; it ends when one of them does")
    parser.add_argument("--claim", default="", help="the address its ready line names instead of its own")
    asyncio.run(run(parser.parse_args(argv), step))


if __name__ == "__main__":
    main()
