"""The server's count against the tokenizer's: pure comparison, and a real endpoint that is asked for it."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from harness.client.counting import MOST_TEXTS, Recount, check_counts, compared
from harness.client.record import RequestRecord, ToolCall
from harness.vocabulary.outcome import Reason
from tests.harness.client.raw_server import door


def record(words: int, tokens: int) -> RequestRecord:
    return RequestRecord(t_send=0, t_end=1, text="word " * words, stamps=(0.5,), tokens=tokens)


@asynccontextmanager
async def tokenizer(answer: str | None = None) -> AsyncIterator[tuple[str, list[dict[str, object]]]]:
    """A server whose tokens are words; gives its address and the bodies it was sent."""
    asked: list[dict[str, object]] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        length = next(int(line[15:]) for line in head.splitlines() if line.startswith("content-length:"))
        asked.append(json.loads(await reader.readexactly(length)))
        body = answer if answer is not None else json.dumps({"tokens": str(asked[-1]["content"]).split()})
        status = "404 Not Found" if body == "404" else "200 OK"
        writer.write(f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n{body}".encode())
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", asked


@pytest.mark.parametrize(
    ("server", "counted", "agrees"),
    [(256, 256, True), (256, 231, True), (256, 230, False), (256, 282, False), (10, 12, True), (10, 13, False)],
)
def test_a_difference_of_two_tokens_or_a_tenth_is_cutting_again(server: int, counted: int, agrees: bool) -> None:
    assert Recount(0, server, counted).agrees is agrees


def test_one_answer_that_disagrees_is_named_with_both_counts() -> None:
    check = compared([Recount(0, 100, 99), Recount(3, 128, 113), Recount(5, 256, 55)])
    assert check.reason is Reason.COUNT_MISMATCH
    assert check.sentence == (
        "in 2 of 3 answers the server's count is not the tokenizer's; request 5: 256 by the server, 55 by the tokenizer"
    )


def test_counts_that_agree_are_shown_too() -> None:
    check = compared([Recount(0, 100, 99), Recount(1, 100, 101)])
    assert (check.reason, check.sentence) == (None, "200 tokens by the server, 200 by the tokenizer, in 2 answers")


async def test_every_answer_is_counted_again_by_the_servers_tokenizer() -> None:
    called = RequestRecord(t_send=0, t_end=1, text="x", stamps=(0.5,), tokens=40, tool_calls=(ToolCall("f", "{}"),))
    bad = RequestRecord(t_send=0, t_end=1, text="x", reason=Reason.REQUEST_FAILED, detail="gone")
    async with tokenizer() as (url, asked):
        check = await check_counts(door(url), "/tokenize", (record(50, 50), called, bad, record(20, 21)))
    assert check.reason is None
    assert check.recounts == (Recount(0, 50, 50), Recount(3, 21, 20))
    assert asked[0]["prompt"] == asked[0]["content"] == "word " * 50
    assert asked[0]["add_special"] is False and asked[0]["model"] == "m"


async def test_a_count_that_is_not_the_texts_is_a_mismatch() -> None:
    async with tokenizer() as (url, _):
        check = await check_counts(door(url), "/tokenize", (record(50, 50), record(20, 64)))
    assert check.reason is Reason.COUNT_MISMATCH and "request 1: 64 by the server, 20" in check.sentence


@pytest.mark.parametrize("answer", ["404", "[]", "{}", '{"tokens": 5}', "no json"])
async def test_a_tokenizer_that_gives_no_count_proves_nothing(answer: str) -> None:
    async with tokenizer(answer) as (url, _):
        check = await check_counts(door(url), "/tokenize", (record(50, 50),))
    assert (check.reason, check.sentence) == (Reason.NO_PROOF, "the tokenizer at '/tokenize' gave no count")


async def test_nothing_to_count_proves_nothing() -> None:
    assert (await check_counts(door("http://127.0.0.1:9"), "/tokenize", ())).reason is Reason.NO_PROOF


async def test_no_more_texts_are_counted_than_needed() -> None:
    async with tokenizer() as (url, asked):
        check = await check_counts(door(url), "/tokenize", (record(3, 3),) * (3 * MOST_TEXTS - 1))
    assert check.reason is None
    assert len(asked) == MOST_TEXTS and check.recounts[-1].request == 3 * (MOST_TEXTS - 1)
