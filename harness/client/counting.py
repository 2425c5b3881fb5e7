"""The server's count of generated tokens held against the model's own tokenizer, after the load.

The comparison is pure; asking is one small POST a text, as llama.cpp and vLLM answer it at `/tokenize`.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

import httpx

from harness.client.ask import Door
from harness.client.record import RequestRecord
from harness.vocabulary.outcome import Reason

# Text is not always cut again where the model cut it: two tokens in a short text, one in ten in a long one may differ.
# The labels that were wrong for weeks (lesson M7) were off by 1.13 and 4.65 times.
SLACK_TOKENS = 2
SLACK_SHARE = 0.1
MOST_TEXTS = 64  # as many answers, spread evenly over all of them, are counted again
COUNT_TIMEOUT_S = 60.0  # wall clock around all of it; a tokenizer takes a millisecond a text


@dataclass(frozen=True)
class Recount:
    """Both counts of one answer."""

    request: int  # index of its record
    server: int
    tokenizer: int

    @property
    def agrees(self) -> bool:
        """Whether the difference is no more than cutting a text again explains."""
        return abs(self.server - self.tokenizer) <= max(SLACK_TOKENS, SLACK_SHARE * self.server)


@dataclass(frozen=True)
class CountCheck:
    """The outcome; `reason` is none where all counts agree."""

    recounts: tuple[Recount, ...]
    reason: Reason | None
    sentence: str


def compared(recounts: Sequence[Recount]) -> CountCheck:
    """All recounts judged: one answer that disagrees is one too many; pure."""
    server, tokenizer = sum(one.server for one in recounts), sum(one.tokenizer for one in recounts)
    bad = [one for one in recounts if not one.agrees]
    if bad:
        worst = max(bad, key=lambda one: abs(one.server - one.tokenizer))
        sentence = (
            f"in {len(bad)} of {len(recounts)} answers the server's count is not the tokenizer's; "
            f"request {worst.request}: {worst.server} by the server, {worst.tokenizer} by the tokenizer"
        )
        return CountCheck(tuple(recounts), Reason.COUNT_MISMATCH, sentence)
    sentence = f"{server} tokens by the server, {tokenizer} by the tokenizer, in {len(recounts)} answers"
    return CountCheck(tuple(recounts), None, sentence)


async def check_counts(door: Door, path: str, records: Sequence[RequestRecord]) -> CountCheck:
    """Count answers again at the server's own tokenizer. One that does not answer proves nothing (`no_proof`).

    Tool calls are left out: their words are not the tokens that the model wrote.
    """
    texts = [(at, record) for at, record in enumerate(records) if record.ok and record.text and not record.tool_calls]
    step = max(1, -(-len(texts) // MOST_TEXTS))
    recounts: list[Recount] = []
    try:
        async with asyncio.timeout(COUNT_TIMEOUT_S), httpx.AsyncClient(trust_env=False, timeout=None) as client:  # noqa: S113 - the wall clock is around all
            for at, record in texts[::step]:
                counted = await count_tokens(client, door, path, record.text)
                if counted is None:
                    return CountCheck((), Reason.NO_PROOF, f"the tokenizer at {path!r} gave no count")
                recounts.append(Recount(at, record.tokens, counted))
    except TimeoutError:
        return CountCheck((), Reason.NO_PROOF, f"the tokenizer at {path!r} did not end within {COUNT_TIMEOUT_S:g} s")
    if not recounts:
        return CountCheck((), Reason.NO_PROOF, "no answer with text was there to be counted again")
    return compared(recounts)


async def count_tokens(client: httpx.AsyncClient, door: Door, path: str, text: str) -> int | None:
    """Tokens of a text by the server's tokenizer, without those that begin a sequence; none if it gives no count."""
    asked = {
        "model": door.model,
        "prompt": text,  # vLLM's word
        "content": text,  # llama.cpp's
        "add_special_tokens": False,
        "add_special": False,
    }
    try:
        answer = await client.post(door.url_of(path), json=asked, headers={"Connection": "close"})
        value = answer.json() if answer.status_code == 200 else None
    except (httpx.HTTPError, httpx.InvalidURL, ValueError):
        return None
    tokens = value.get("tokens") if isinstance(value, dict) else None
    return len(tokens) if isinstance(tokens, list) else None
