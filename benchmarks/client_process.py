"""One measuring client as a process of its own: so many streams at once, request after request; prints one JSON line.

`--transport harness` is the product's; `httpx` does the same with a usual HTTP library, for comparison; `floor` stamps
what the event loop hands over and counts tokens by searching, the least that a client on this loop can do.
"""

import argparse
import asyncio
import json
import os
import resource
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import cast

import uvloop

from harness.client.address import Address, post
from harness.client.stream import Ask, Door, connections, send


@dataclass(frozen=True)
class Seen:
    """One request as the client saw it."""

    identity: int
    ttft_ms: float
    events: int
    sent: float  # seconds of time.perf_counter, as the first token's arrival
    first: float


WORD = b'"content": " word"'  # a token as benchmarks.client_truth writes it
Sender = Callable[[int], Awaitable[Seen]]


def door(url: str) -> Door:
    """The server, asked over the chat API."""
    return Door(url, "chat", "truth", lambda tokens: (("max_tokens", tokens),))


async def everything(sender: Sender, streams: int, requests: int) -> list[Seen]:
    """`streams` users, each sending its next request when its last answer has come."""
    waiting, seen = iter(range(requests)), list[Seen]()

    async def user() -> None:
        for number in waiting:
            seen.append(await sender(number))

    await asyncio.gather(*(user() for _ in range(streams)))
    return seen


async def with_harness(given: argparse.Namespace) -> dict[str, object]:
    """The product's client."""
    async with connections() as client:

        async def sender(number: int) -> Seen:
            record = await send(client, door(given.url), Ask(f"request-{number} says", given.tokens, 120))
            if not record.ok:
                raise SystemExit(f"request {number} failed: {record.detail}")
            return Seen(number, record.ttft_ms, len(record.stamps), record.t_send, record.t_first)

        await everything(sender, 1, 1)  # what is loaded late is loaded now
        client.restart()
        began = time.perf_counter()
        seen = await everything(sender, given.streams, given.requests)
        wall_s = time.perf_counter() - began
        return result(seen, wall_s, client.load().cpu_s) | {"load": client.load().as_json()}


async def with_httpx(given: argparse.Namespace) -> dict[str, object]:
    """The same with httpx: a stamp for each line, parsed at once."""
    import httpx  # noqa: PLC0415 - the other transport must not pay for it

    limits = httpx.Limits(max_connections=None, max_keepalive_connections=0)
    async with httpx.AsyncClient(timeout=None, trust_env=False, limits=limits) as client:  # noqa: S113 - a benchmark

        async def sender(number: int) -> Seen:
            ask = Ask(f"request-{number} says", given.tokens, 120)
            began, first, events = time.perf_counter(), 0.0, 0
            async with client.stream("POST", door(given.url).url, json=door(given.url).body(ask)) as response:
                async for line in response.aiter_lines():
                    now = time.perf_counter()
                    if not line.startswith("data: {"):
                        continue
                    choices = json.loads(line[6:])["choices"]
                    if choices and choices[0]["delta"].get("content"):
                        first, events = first or now, events + 1
            return Seen(number, (first - began) * 1000, events, began, first)

        await everything(sender, 1, 1)
        began, cpu = time.perf_counter(), time.process_time()
        seen = await everything(sender, given.streams, given.requests)
        return result(seen, time.perf_counter() - began, time.process_time() - cpu)


class Bare(asyncio.Protocol):
    """Sends, stamps and keeps; nothing is read while it runs."""

    def __init__(self, request: bytes) -> None:
        self.ended = asyncio.get_running_loop().create_future()
        self.sent = 0.0
        self.stamps: list[float] = []
        self.pieces: list[bytes] = []
        self._request = request

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Send at once."""
        self.sent = time.perf_counter()
        cast(asyncio.Transport, transport).write(self._request)

    def data_received(self, data: bytes) -> None:
        """Stamp."""
        self.stamps.append(time.perf_counter())
        self.pieces.append(data)

    def connection_lost(self, exc: Exception | None) -> None:
        """The answer is whole, as far as is known here."""
        if not self.ended.done():
            self.ended.set_result(None)


async def with_floor(given: argparse.Namespace) -> dict[str, object]:
    """The least on the same loop: no HTTP, no JSON, nothing is checked."""
    loop, address = asyncio.get_running_loop(), Address.of(door(given.url).url)

    async def sender(number: int) -> Seen:
        request = post(address, door(given.url).body(Ask(f"request-{number} says", given.tokens, 120)))
        _, bare = await loop.create_connection(lambda: Bare(request), address.host, address.port)
        await bare.ended
        first = bare.stamps[0]  # the server writes the first token together with the headers
        return Seen(number, (first - bare.sent) * 1000, b"".join(bare.pieces).count(WORD), bare.sent, first)

    await everything(sender, 1, 1)
    began, cpu = time.perf_counter(), time.process_time()
    seen = await everything(sender, given.streams, given.requests)
    return result(seen, time.perf_counter() - began, time.process_time() - cpu)


TRANSPORTS = {"harness": with_harness, "httpx": with_httpx, "floor": with_floor}


def result(seen: list[Seen], wall_s: float, cpu_s: float) -> dict[str, object]:
    """Plain values for the other side of the pipe."""
    return {
        "ttft_ms": {one.identity: one.ttft_ms for one in seen},
        "open": {one.identity: (one.sent, one.first) for one in seen},
        "events": sum(one.events for one in seen),
        "wall_s": wall_s,
        "cpu_s": cpu_s,
    }


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", required=True)
    parser.add_argument("--transport", choices=[*TRANSPORTS], default="harness")
    parser.add_argument("--streams", type=int, default=1)
    parser.add_argument("--requests", type=int, default=1)
    parser.add_argument("--tokens", type=int, default=16)
    parser.add_argument("--core", type=int, default=-1)
    given = parser.parse_args()
    if given.core >= 0:
        os.sched_setaffinity(0, {given.core})
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        said = runner.run(TRANSPORTS[given.transport](given))
    said["rss_mib"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps(said), flush=True)


if __name__ == "__main__":
    main()
