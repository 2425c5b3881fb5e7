"""Prompts counted again by the model's tokenizer: pure comparison, three ways of engines, and a simulator that cuts."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness.client.ask import Ask, Door
from harness.client.prompt_count import (
    MOST_PROMPTS,
    PromptRecount,
    Template,
    check_prompts,
    chosen_prompts,
    compared_prompts,
)
from harness.client.record import RequestRecord
from harness.client.stream import connections, send
from harness.vocabulary.outcome import Reason
from tests.harness.client.raw_server import door
from tests.harness.protocols.simulated import ONE_WORKER
from tests.harness.simulator.starting import started

Answer = Callable[[str, dict[str, Any]], object]
TEMPLATE = "<user> {} </user> <model>"  # three words around a prompt


def record(words: int, counted: int) -> RequestRecord:
    return RequestRecord(0, 1, text="x", stamps=(0.5,), tokens=1, prompt_tokens=counted, prompt="word " * words)


def plain(url: str) -> Door:
    return replace(door(url), api="completions")


@asynccontextmanager
async def engine(answer: Answer) -> AsyncIterator[str]:
    """A server that answers each POST with what `answer` makes of its path and body; none is status 404."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        length = next(int(line[15:]) for line in head.lower().splitlines() if line.startswith("content-length:"))
        value = answer(head.split()[1], json.loads(await reader.readexactly(length)))
        body, status = json.dumps(value), "404 Not Found" if value is None else "200 OK"
        writer.write(f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n{body}".encode())
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


def vllm(path: str, body: dict[str, Any]) -> object:
    """Counts messages with their template, and a prompt alone."""
    text = TEMPLATE.format(body["messages"][0]["content"]) if "messages" in body else body["prompt"]
    return {"count": len(text.split()), "tokens": text.split()}


def llamacpp(path: str, body: dict[str, Any]) -> object:
    """Counts content, and says what text it makes of messages."""
    if path == "/apply-template":
        return {"prompt": TEMPLATE.format(body["messages"][0]["content"])}
    return {"tokens": str(body.get("content", "")).split()}


def bare(path: str, body: dict[str, Any]) -> object:
    """Counts content and knows no template."""
    return {"tokens": str(body.get("content", "")).split()} if path == "/tokenize" else None


@pytest.mark.parametrize(
    ("server", "template", "agrees"),
    [
        (100, Template.NONE, True),
        (102, Template.NONE, True),
        (103, Template.NONE, False),
        (97, Template.NONE, False),
        (164, Template.COUNTED, True),
        (165, Template.COUNTED, False),
        (75, Template.COUNTED, True),
        (74, Template.COUNTED, False),  # half of a short prompt is less than the switches' 64
        (612, Template.UNKNOWN, True),
        (613, Template.UNKNOWN, False),
        (97, Template.UNKNOWN, False),
    ],
)
def test_a_token_that_begins_and_a_template_explain_a_difference(server: int, template: Template, agrees: bool) -> None:
    assert PromptRecount(0, server, 100, template).agrees is agrees


def test_a_template_adds_the_same_to_every_prompt() -> None:
    first = PromptRecount(0, 108, 100, Template.UNKNOWN)
    check = compared_prompts([first, PromptRecount(1, 1130, 1000, Template.UNKNOWN)])
    assert check.reason is Reason.PROMPT_COUNT
    assert check.sentence.startswith(
        "the server counted 1130 prompt tokens in request 1 and the model's tokenizer 1000;"
    )
    assert compared_prompts([first, PromptRecount(1, 1009, 1000, Template.UNKNOWN)]).reason is None


@pytest.mark.parametrize(("answer", "beside"), [(vllm, ""), (llamacpp, ""), (bare, " without the chat's template")])
async def test_a_chats_prompts_are_counted_with_their_template_where_the_engine_tells_it(
    answer: Answer, beside: str
) -> None:
    async with engine(answer) as url:
        good = await check_prompts(door(url), "/tokenize", (record(50, 53), record(900, 903)))
        cut = await check_prompts(door(url), "/tokenize", (record(50, 53), record(900, 451)))
    assert good is not None and cut is not None and good.reason is None and cut.reason is Reason.PROMPT_COUNT
    counted = 950 if beside else 956
    assert good.sentence == f"956 prompt tokens by the server, {counted} by the tokenizer{beside}, in 2 prompts"
    assert "the server counted 451 prompt tokens in request 1" in cut.sentence


async def test_a_completions_prompt_is_counted_as_it_is() -> None:
    async with engine(llamacpp) as url:
        good = await check_prompts(plain(url), "/tokenize", (record(50, 51),))
        padded = await check_prompts(plain(url), "/tokenize", (record(50, 233),))
    assert good is not None and good.reason is None
    assert padded is not None and padded.reason is Reason.PROMPT_COUNT


async def test_a_tokenizer_without_a_count_proves_nothing() -> None:
    async with engine(lambda path, body: None) as url:
        check = await check_prompts(door(url), "/tokenize", (record(50, 53),))
    assert check is not None and (check.reason, check.sentence) == (
        Reason.NO_PROOF,
        "the tokenizer at '/tokenize' gave no count of a prompt",
    )


async def test_without_a_prompt_or_its_count_nothing_is_said() -> None:
    failed = replace(record(5, 5), reason=Reason.NO_END)
    assert await check_prompts(door("http://127.0.0.1:9"), "/tokenize", (record(0, 5), record(5, 0), failed)) is None


def test_the_longest_is_among_those_that_are_counted_and_none_twice() -> None:
    records = [record(words, words) for words in (*range(1, 40), 39, 39)]
    chosen = chosen_prompts(records)
    assert len(chosen) == MOST_PROMPTS and chosen[0] == 38 and len(set(chosen)) == len(chosen)


@pytest.mark.parametrize(
    ("more", "is_text"),
    [
        ({}, True),
        ({"extra_json": '{"cache_prompt": true}'}, True),
        ({"extra_json": '{"tools": []}'}, False),
        ({"messages_json": "[{}]"}, False),
        ({"path": "/v1/responses"}, False),
    ],
)
def test_what_adds_to_a_prompt_is_left_out(more: dict[str, Any], is_text: bool) -> None:
    assert Ask("word", 5, 1.0, **more).is_text is is_text


def test_no_prompt_goes_on_record() -> None:
    assert "prompt" not in record(3, 3).as_json() and record(3, 3).as_json()["prompt_tokens"] == 3


@pytest.mark.parametrize(("fault", "reason"), [((), None), (("--fault", "prompt-cut"), Reason.PROMPT_COUNT)])
async def test_a_simulated_engine_that_cuts_prompts_is_found_out(
    tmp_path: Path, fault: tuple[str, ...], reason: Reason | None
) -> None:
    async with started(tmp_path, *ONE_WORKER, "--time-scale", "0.001", *fault) as simulated:
        where = Door(simulated.url, "chat", "sim", door("").sampling)
        async with connections() as client:
            asked = [await send(client, where, Ask("harbour bell " * words, 4, 10)) for words in (20, 400)]
        check = await check_prompts(where, "/tokenize", asked)
    assert check is not None and check.reason is reason, check
