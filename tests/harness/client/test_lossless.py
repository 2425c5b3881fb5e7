"""No event is lost and none is seen before it was written: several streams, cut at random, plain and over TLS."""

import asyncio
import random
import time
from bisect import bisect_left, bisect_right
from itertools import accumulate
from pathlib import Path

import pytest

from harness.client import intake
from harness.client.stream import Ask, connections, send
from tests.harness.client.certificates import ends
from tests.harness.client.raw_server import OK, answering, chunk, door, event

EVENTS, TOKENS_EACH, STREAMS = 40, 3, 3
WORDS = ("the ", "old ", "harbour ", "täglich ", '"said" ', "世界 ", "line\n")


def events(rolled: random.Random) -> tuple[list[bytes], str]:
    """Bytes of each event that carries text, the ending as one more; and the whole text."""
    texts = ["".join(rolled.choices(WORDS, k=TOKENS_EACH)) for _ in range(EVENTS)]
    said = [event({"id": "c-1", "choices": [{"delta": {"content": text}, "finish_reason": None}]}) for text in texts]
    usage = {"prompt_tokens": 3, "completion_tokens": EVENTS * TOKENS_EACH}
    end = event({"choices": [{"delta": {}, "finish_reason": "length"}]}) + event({"choices": [], "usage": usage})
    return [*said, end + b"data: [DONE]\n\n"], "".join(texts)


def cut(data: bytes, most: int, rolled: random.Random) -> list[bytes]:
    """Cut at random, at least one byte and at most so many a piece."""
    pieces = []
    while data:
        size = rolled.randint(1, most)
        pieces.append(data[:size])
        data = data[size:]
    return pieces


def framed(said: list[bytes], rolled: random.Random) -> tuple[bytes, list[int]]:
    """An answer in chunks of any size, and where in it the line of each event ends; an empty line is still to come."""
    raw, last, body, done = OK + b"Transfer-Encoding: chunked\r\n\r\n", list[int](), b"".join(said), 0
    ends_at = [end - 1 for end in accumulate(map(len, said))]
    for piece in cut(body, 400, rolled):
        begin = len(raw) + len(chunk(piece)) - len(piece) - 2
        here = range(bisect_left(ends_at, done + 1), bisect_right(ends_at, done + len(piece)))
        last += [begin + ends_at[number] - 1 - done for number in here]
        raw, done = raw + chunk(piece), done + len(piece)
    return raw + chunk(b""), last


class Streams:
    """Answers each request with a stream of its own, and knows from when on each of its events was written."""

    def __init__(self) -> None:
        # By the whole text: when each write began, and for each event the number of the one that ended it.
        self.written: dict[str, list[tuple[list[float], int]]] = {}
        self._rolled = random.Random(7)  # noqa: S311 - how bytes are cut is no secret

    async def __call__(self, writer: asyncio.StreamWriter) -> None:
        said, text = events(self._rolled)
        raw, last = framed(said, self._rolled)
        parts = cut(raw, 600, self._rolled)
        begun, ends_at = list[float](), [*accumulate(map(len, parts))]
        self.written[text] = [(begun, bisect_right(ends_at, at)) for at in last[:EVENTS]]
        for part in parts:
            begun.append(time.perf_counter())
            writer.write(part)
            await writer.drain()
            await asyncio.sleep(self._rolled.choice((0, 0, 0.001)))


@pytest.mark.parametrize("secure", [False, True], ids=["plain", "TLS"])
@pytest.mark.parametrize("how", ["as it comes", "in rounds", "a few bytes at a time"])
async def test_no_event_is_lost_and_none_is_seen_before_it_was_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, secure: bool, how: str
) -> None:
    if how == "in rounds":
        monkeypatch.setattr(intake, "CALM_GAPS", 0)
        monkeypatch.setattr(intake, "WINDOW_ROUNDS", 1)
    elif how == "a few bytes at a time":
        monkeypatch.setattr(intake, "PIECE_BYTES", 40)
    both, answer = ends(tmp_path, "localhost"), Streams()
    async with answering(answer, both.server if secure else None) as url, connections(both.trusting) as client:
        ask = Ask("x", EVENTS * TOKENS_EACH, 60)
        records = await asyncio.gather(*(send(client, door(url), ask) for _ in range(STREAMS)))
    assert {record.text for record in records} == answer.written.keys() and len(answer.written) == STREAMS
    for record in records:
        assert record.ok, record.detail
        assert (len(record.stamps), record.tokens, record.weight) == (EVENTS, EVENTS * TOKENS_EACH, TOKENS_EACH)
        assert list(record.stamps) == sorted(record.stamps) and record.t_last <= record.t_end
        written = [begun[number] for begun, number in answer.written[record.text]]
        early_s = [began - seen for began, seen in zip(written, record.stamps, strict=True)]
        assert max(early_s) < 0.0005, "two clocks are compared, each to a few microseconds"
