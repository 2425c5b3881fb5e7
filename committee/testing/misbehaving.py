"""A misbehaving OpenAI-compatible server: the model's name is the mode. It counts what it was asked.

`good+a` and `good+b` are two models in one mode; `good+MARK-x7` is one whose every text holds the word MARK-x7.
"""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from committee.review.loopback_http import HttpRequest, serving
from committee.testing.replies import MODES, Asked

NONCE = re.compile(r"^nonce: (\S+)$", re.MULTILINE)
MARK = re.compile(r"MARK-\w+$")  # at the end of a model's name: words that its reply shall hold
PROPOSAL = re.compile(r"^proposal: (\S+)$", re.MULTILINE)
DRIP_S = 0.02  # less than any time limit of a single read, more than the patience of a whole call
WIRE_MODES = ("silent", "drip", "cut-body", "reset", "hold")


@dataclass
class Misbehaving:
    """A running server. `models` holds the model of every request in order, `released` lets mode `hold` answer."""

    base_url: str
    models: list[str] = field(default_factory=list)
    requests: list[HttpRequest] = field(default_factory=list)
    released: asyncio.Event = field(default_factory=asyncio.Event)
    arrived: asyncio.Event = field(default_factory=asyncio.Event)
    at_once: int = 0  # requests that are being answered now
    most_at_once: int = 0

    def count(self, model: str) -> int:
        """How often this model was asked."""
        return self.models.count(model)


@asynccontextmanager
async def misbehaving() -> AsyncIterator[Misbehaving]:
    """Start the server on a free loopback port."""
    server = Misbehaving("")

    async def respond(request: HttpRequest, writer: asyncio.StreamWriter) -> None:
        model = str(request.json().get("model", ""))
        asked = _asked(request, server.count(model))
        server.models.append(model)
        server.requests.append(request)
        server.at_once += 1
        server.most_at_once = max(server.most_at_once, server.at_once)
        server.arrived.set()
        try:
            await _act(model, asked, writer, server)
            await writer.drain()
        finally:
            server.at_once -= 1

    async with serving(respond) as base_url:
        server.base_url = base_url
        yield server


async def _act(model: str, asked: Asked, writer: asyncio.StreamWriter, server: Misbehaving) -> None:
    mode = model.partition("+")[0]  # "good+a" and "good+b" are two models in one mode
    whole = MODES["good" if mode in WIRE_MODES else mode](asked)
    if mode == "silent":
        await asyncio.Event().wait()
    elif mode == "hold":
        await server.released.wait()
        writer.write(whole)
    elif mode == "reset":
        writer.transport.abort()
    elif mode == "cut-body":
        writer.write(whole[:-60])
    elif mode == "drip":
        for position in range(len(whole)):
            writer.write(whole[position : position + 1])
            await writer.drain()
            await asyncio.sleep(DRIP_S)
    else:
        writer.write(whole)


def _asked(request: HttpRequest, earlier: int) -> Asked:
    messages = request.json().get("messages") or [{}]
    prompt = str(messages[-1].get("content", "")) if isinstance(messages, list) else json.dumps(messages)
    nonce, proposal = NONCE.search(prompt), PROPOSAL.search(prompt)
    mark = MARK.search(str(request.json().get("model", "")))
    held = request.json().get("response_format")
    held_to = str(held.get("type", "none")) if isinstance(held, dict) else "none"
    return Asked(nonce[1] if nonce else "", proposal[1] if proposal else "", earlier, mark[0] if mark else "", held_to)
