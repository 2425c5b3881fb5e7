"""The server's count of prompt tokens held against the model's own tokenizer, after the load (lesson M7).

A prompt that the engine cut is counted rightly, by usage and counters alike, as what was left of it: only the tokenizer
says how long the one was that was sent. Comparing is pure; asking is a small POST or two a prompt.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import httpx

from harness.client.ask import Door
from harness.client.counting import COUNT_TIMEOUT_S, CountCheck, Recount, count_tokens
from harness.client.record import RequestRecord
from harness.vocabulary.outcome import Reason

MOST_PROMPTS = 8  # different ones, from the shortest to the longest: counting a long one takes a tenth of a second
BEGIN_TOKENS = 2  # a token that begins a sequence, and one for where words meet a template
SWITCH_TOKENS = 64  # a server's own switches (thinking, a date) that its tokenizer's template may not know
MOST_MISSING = 4  # no switch takes more than a fourth of a prompt away
MOST_TEMPLATE_TOKENS = 512  # that a chat's template may add, where the engine does not say what it adds
APPLY = "/apply-template"  # llama.cpp: a chat's messages as the one text that is tokenized


class Template(StrEnum):
    """What stands around a prompt, as far as the tokenizer counted it."""

    NONE = "none"  # the prompt is sent as it is
    COUNTED = "counted"
    UNKNOWN = "unknown"  # the engine does not say what it adds


# The fewest and the most tokens that the server may count beyond the tokenizer's.
MORE: Mapping[Template, tuple[int, int]] = {
    Template.NONE: (-BEGIN_TOKENS, BEGIN_TOKENS),
    Template.COUNTED: (-SWITCH_TOKENS, SWITCH_TOKENS),
    Template.UNKNOWN: (-BEGIN_TOKENS, MOST_TEMPLATE_TOKENS),
}


@dataclass(frozen=True)
class PromptRecount:
    """Both counts of one prompt."""

    request: int  # index of its record
    server: int
    tokenizer: int
    template: Template

    @property
    def more(self) -> int:
        """Tokens that the server counted beyond the tokenizer's."""
        return self.server - self.tokenizer

    @property
    def agrees(self) -> bool:
        """Whether the server counted what was sent, and nothing that no template explains."""
        least, most = MORE[self.template]
        cut = max(BEGIN_TOKENS, self.tokenizer // MOST_MISSING)
        return max(least, -cut) <= self.more <= most


def compared_prompts(recounts: Sequence[PromptRecount]) -> CountCheck:
    """All recounts (one at least) judged: one prompt that disagrees is one too many; pure.

    A template adds the same to every prompt, so the differences must not differ.
    """
    kept = tuple(Recount(one.request, one.server, one.tokenizer) for one in recounts)
    more = [one.more for one in recounts]
    uneven = [max(recounts, key=_apart)] if max(more) - min(more) > BEGIN_TOKENS else []
    if bad := [one for one in recounts if not one.agrees] or uneven:
        worst = max(bad, key=_apart)
        said = (
            f"the server counted {worst.server} prompt tokens in request {worst.request} and the model's tokenizer "
            f"{worst.tokenizer}; of {len(recounts)} prompts {len(bad)} do not agree"
        )
        return CountCheck(kept, Reason.PROMPT_COUNT, said)
    server, tokenizer = sum(one.server for one in recounts), sum(one.tokenizer for one in recounts)
    beside = " without the chat's template" if any(one.template is Template.UNKNOWN for one in recounts) else ""
    said = f"{server} prompt tokens by the server, {tokenizer} by the tokenizer{beside}, in {len(recounts)} prompts"
    return CountCheck(kept, None, said)


async def check_prompts(door: Door, path: str, records: Sequence[RequestRecord]) -> CountCheck | None:
    """Count prompts again at the server's own tokenizer; none where no request tells prompt and count.

    Left out are prompts with pictures, tools or a form of their own. A tokenizer that gives no count proves nothing.
    """
    chosen = chosen_prompts(records)
    recounts: list[PromptRecount] = []
    try:
        async with asyncio.timeout(COUNT_TIMEOUT_S), httpx.AsyncClient(trust_env=False, timeout=None) as client:  # noqa: S113 - the wall clock is around all
            for at in chosen:
                counted = await _counted(client, door, path, records[at].prompt)
                if counted is None:
                    return CountCheck((), Reason.NO_PROOF, f"the tokenizer at {path!r} gave no count of a prompt")
                recounts.append(PromptRecount(at, records[at].prompt_tokens, *counted))
    except TimeoutError:
        return CountCheck((), Reason.NO_PROOF, f"the tokenizer at {path!r} did not end within {COUNT_TIMEOUT_S:g} s")
    return compared_prompts(recounts) if recounts else None


def chosen_prompts(records: Sequence[RequestRecord]) -> tuple[int, ...]:
    """Which records are counted again: different prompts, spread over their lengths, the longest always; pure."""
    first: dict[str, int] = {}
    for at, record in enumerate(records):
        if record.ok and record.prompt and record.prompt_tokens:
            first.setdefault(record.prompt, at)
    ordered = sorted(first.values(), key=lambda at: -records[at].prompt_tokens)
    step = max(1, -(-len(ordered) // MOST_PROMPTS))
    return tuple(ordered[::step])


def _apart(one: PromptRecount) -> int:
    return abs(one.more)


async def _counted(client: httpx.AsyncClient, door: Door, path: str, prompt: str) -> tuple[int, Template] | None:
    """Tokens of a prompt, with its template where that can be had; none where the tokenizer gives no count."""
    if door.api == "chat" and (whole := await _with_template(client, door, path, prompt)) is not None:
        return whole, Template.COUNTED
    counted = await count_tokens(client, door, path, prompt)
    around = Template.UNKNOWN if door.api == "chat" else Template.NONE
    return None if counted is None else (counted, around)


async def _with_template(client: httpx.AsyncClient, door: Door, path: str, prompt: str) -> int | None:
    """vLLM counts messages; llama.cpp says what text it makes of them; none where the engine does neither."""
    messages = [{"role": "user", "content": prompt}]
    asked = {"model": door.model, "messages": messages, "add_generation_prompt": True}
    count = (await _asked(client, door.url_of(path), asked)).get("count")
    if isinstance(count, int) and count > 0:
        return count
    text = (await _asked(client, door.url_of(APPLY), {"messages": messages})).get("prompt")
    return await count_tokens(client, door, path, text) if isinstance(text, str) else None


async def _asked(client: httpx.AsyncClient, url: str, body: dict[str, Any]) -> dict[str, Any]:
    """The JSON object that is answered; empty where none is."""
    try:
        answer = await client.post(url, json=body, headers={"Connection": "close"})
        value = answer.json() if answer.status_code == 200 else None
    except (httpx.HTTPError, httpx.InvalidURL, ValueError):
        return {}
    return value if isinstance(value, dict) else {}
