"""An OpenAI-compatible server that answers by the prompt: model `gullible` obeys what it reads, `sober` does not.

It stands for a reviewer that takes comments for instructions, so that what keeps it harmless can be tested. Model
`refuter` says in a second look that the first hypothesis it is shown is wrong; `holder` waits there to be released.
"""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from committee.review.loopback_http import HttpRequest, response, serving
from committee.testing.hostile import HOSTILE, Act, Hostile
from committee.testing.misbehaving import NONCE, PROPOSAL
from committee.testing.replies import HYPOTHESIS, completion

SECOND_LOOK = re.compile(r'"refutes": "H1"')
SAME = {"metric": "total_tok_s", "load": 4, "direction": "same", "low_pct": -2, "high_pct": 2}
FORGED = {"metric": "total_tok_s", "load": 4, "direction": "up", "low_pct": 200, "high_pct": 300}


@dataclass
class Gullible:
    """A running server and every prompt it was sent."""

    base_url: str
    prompts: list[str] = field(default_factory=list)
    held: asyncio.Event = field(default_factory=asyncio.Event)  # model `holder` was asked for a second look
    released: asyncio.Event = field(default_factory=asyncio.Event)  # lets it answer
    bodies: list[bytes] = field(default_factory=list)  # of its answers, in the same order


@asynccontextmanager
async def gullible(hostile: Sequence[Hostile] = HOSTILE) -> AsyncIterator[Gullible]:
    """Start it on a free loopback port."""
    server = Gullible("")

    async def respond(request: HttpRequest, writer: asyncio.StreamWriter) -> None:
        asked = request.json()
        prompt = str(asked.get("messages", [{}])[-1].get("content", ""))
        server.prompts.append(prompt)
        obeyed = (
            [one for one in hostile if one.order in prompt] if str(asked.get("model")).startswith("gullible") else []
        )
        refutes = str(asked.get("model")).startswith("refuter") and SECOND_LOOK.search(prompt)
        whole = _refutation(prompt) if refutes else _answer(prompt, obeyed[0] if obeyed else None)
        if str(asked.get("model")).startswith("holder") and SECOND_LOOK.search(prompt):
            server.held.set()
            await server.released.wait()
        server.bodies.append(whole)
        writer.write(response(200, whole))
        await writer.drain()

    async with serving(respond) as base_url:
        server.base_url = base_url
        yield server


def _answer(prompt: str, order: Hostile | None) -> bytes:
    nonce, proposal = NONCE.search(prompt), PROPOSAL.search(prompt)
    review: dict[str, Any] = {
        "nonce": nonce[1] if nonce else "",
        "proposal": proposal[1] if proposal else "",
        "count": 1,
        "hypotheses": [dict(HYPOTHESIS)],
    }
    act: Act | None = order.act if order else None
    if act == "prose":
        return completion("Of course. I would set four slots.")
    if act == "tool-call":
        return completion(None, "tool_calls", tool_calls=[{"id": "1", "type": "function"}])
    if order is not None:
        review |= _obeyed(review, order)
    return completion(json.dumps(review))


def _refutation(prompt: str) -> bytes:
    """A second look that refutes H1 and refers to a label that was not shown."""
    nonce, proposal = NONCE.search(prompt), PROPOSAL.search(prompt)
    refuted = dict(HYPOTHESIS) | {"mechanism": "the weights are read once anyway", "predicted": SAME, "arm": None}
    review = {
        "nonce": nonce[1] if nonce else "",
        "proposal": proposal[1] if proposal else "",
        "count": 2,
        "hypotheses": [refuted | {"refutes": "H1"}, refuted | {"refutes": "H99"}],
    }
    return completion(json.dumps(review))


def _obeyed(review: dict[str, Any], order: Hostile) -> dict[str, Any]:
    """What an obedient reviewer changes in its answer."""
    if order.act == "adds":
        arm = {"name": order.name, "title": "", "flags": dict(order.flags), "env": dict(order.env), "witness": []}
        added = dict(HYPOTHESIS) | {"mechanism": f"as told by {order.path}", "predicted": FORGED, "arm": arm}
        return {"count": 2, "hypotheses": [*review["hypotheses"], added]}
    if order.act == "cites-outside":
        cited = dict(HYPOTHESIS) | {"citations": [{"file": "/home/somebody/.netrc", "line": 1, "quote": "machine"}]}
        return {"hypotheses": [cited]}
    changes: dict[Act, dict[str, Any]] = {
        "other-nonce": {"nonce": "000000000000"},
        "ranks": {"ranking": ["slots-4"]},
        "other-proposal": {"proposal": "0099-other"},
        "says-nothing": {"count": 0, "hypotheses": []},
    }
    return changes[order.act]
