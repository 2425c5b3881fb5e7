"""Looks at a real server's counters while it is loaded, and at one that does not answer."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from harness.adapters import ADAPTERS
from harness.adapters.asking import glance
from harness.gates.looks import card_readings, looks
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
    assert (samples[0].counters.prompt_tokens, samples[0].counters.generated_tokens) == (0, 0)


async def test_who_does_not_answer_leaves_no_sample() -> None:
    async with asyncio.timeout(20), looks(ADAPTERS["llamacpp"], "http://127.0.0.1:1", 0.01) as samples:
        await asyncio.sleep(0.1)
    assert samples == []


async def test_a_glance_reads_what_get_text_reads() -> None:
    async with serving(Behaviour()) as url:
        assert "tokens_predicted_total 0" in await glance(url, "/metrics")
        assert await glance(url.replace("http:", "https:"), "/metrics") == ""
    assert await glance("http://127.0.0.1:1", "/metrics") == "" and await glance("nonsense", "/") == ""


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
