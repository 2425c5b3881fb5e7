"""Looks at a real server's counters while it is loaded, and at one that does not answer."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.adapters import ADAPTERS, asking
from harness.adapters.asking import NoAnswer, glance
from harness.gates.isolated import Sample, Unseen
from harness.gates.looks import card_readings, look_in, looks
from harness.hosts.base import Held
from harness.hosts.looking import Card, machine
from tests.harness.direct_host import DirectHost
from tests.harness.small_server import Behaviour, serving


async def test_samples_are_taken_until_the_load_ends() -> None:
    behaviour = Behaviour()
    async with serving(behaviour) as url, asyncio.timeout(20):
        async with looks(ADAPTERS["llamacpp"], url, 0.01) as samples:
            while len(samples) < 3:  # noqa: ASYNC110 - the list has no event
                await asyncio.sleep(0.01)
        taken = len(samples)
        await asyncio.sleep(0.05)
    assert len(samples) == taken and samples[0].t_asked < samples[0].t_answered < samples[1].t_asked
    first = samples[0]
    assert isinstance(first, Sample) and (first.counters.prompt_tokens, first.counters.generated_tokens) == (0, 0)


async def test_who_does_not_answer_leaves_the_reason() -> None:
    async with asyncio.timeout(20), looks(ADAPTERS["llamacpp"], "http://127.0.0.1:1", 0.01) as seen:
        while not seen:  # noqa: ASYNC110 - the list has no event
            await asyncio.sleep(0.01)
    assert isinstance(seen[0], Unseen) and seen[0].why == "it did not answer (ConnectionRefusedError)"


P, G = "llamacpp:prompt_tokens_total", "llamacpp:tokens_predicted_total"


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("", "its answer holds no counters"),
        ("\0\ufffd\n{}", "its answer holds no counters"),
        (f"{P} 1\n", "its answer holds no counters"),
        (f"{P} -\n{G} 1\n", f"{P} is no finite number"),
        (f"{P} 1\n{G} NaN\n", f"{G} is no finite number"),
        (f"{P} 1\n{G} 1e999\n", f"{G} is no finite number"),
        (NoAnswer("it answered more than 16 MiB"), "it answered more than 16 MiB"),
    ],
)
def test_an_odd_answer_is_a_value_with_its_reason(answer: str | NoAnswer, why: str) -> None:
    assert look_in(ADAPTERS["llamacpp"], answer, 1.0, 2.0) == Unseen(1.0, 2.0, why)


@settings(max_examples=50, deadline=None)
@given(
    st.one_of(st.text(), st.floats(), st.integers()), st.sampled_from(["llamacpp", "vllm", "command", "transformers"])
)
def test_no_answer_raises(value: object, adapter: str) -> None:
    for answer in (
        str(value),
        f"{P} {value}\n{G} {value}\nvllm:prompt_tokens_total {value}\nllamacpp:requests_processing {value}",
    ):
        assert isinstance(look_in(ADAPTERS[adapter], answer, 0.0, 0.0), Sample | Unseen)


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b"", "it answered with status nothing"),
        (b"\xff\x00\x01", "it answered with status nothing"),
        (b"HTTP/1.1 404 No\r\n\r\n", "it answered with status 404"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\na 1\n", "it answered half (4 of 500 bytes)"),
        (b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 2000, "it answered more than 0 MiB"),
    ],
)
async def test_odd_bytes_are_a_reason_too(raw: bytes, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "MOST_BYTES", 1000)

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(raw)
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        assert await glance(url, "/metrics") == NoAnswer(why)
        assert await asking.get_text(url, "/metrics") == ""


async def test_a_glance_reads_what_get_text_reads() -> None:
    async with serving(Behaviour()) as url:
        assert "tokens_predicted_total 0" in str(await glance(url, "/metrics"))
        assert await glance(url.replace("http:", "https:"), "/metrics") == NoAnswer("its address is none of plain http")
    for none in ("http://127.0.0.1:99999", "http://[", "http://127.0.0.1:1/é"):
        assert await glance(none, "/metrics") == NoAnswer("its address is none")
    assert await glance("nonsense", "/") == NoAnswer("its address is none of plain http")


class _Counting(DirectHost):
    """Counts how often the machine is read."""

    asked = 0

    async def pids(self, held: Held) -> tuple[int, ...]:
        return ()

    async def look(self, question: Mapping[str, Any]) -> Any:
        self.asked += question["ask"] == "machine"
        return await super().look(question)


async def test_a_machine_is_read_during_a_load_only_if_it_has_cards(tmp_path: Path) -> None:
    host, server = _Counting(tmp_path), Held("s", 1, 1, tmp_path / "log")
    before = await machine(host, None)
    async with card_readings(host, server, replace(before, cards=()), 0.01) as readings:
        await asyncio.sleep(0.1)
    assert readings == [] and host.asked == 1
    card = Card(0, None, None, None, None, None, (), ())
    async with asyncio.timeout(20), card_readings(host, server, replace(before, cards=(card,)), 0.01) as readings:
        while len(readings) < 2:  # noqa: ASYNC110 - the list has no event
            await asyncio.sleep(0.01)
    assert host.asked >= 3 and readings[0].at < readings[1].at
