"""Users are counted by the engine's own gauges before production stops: refuse, drain, or a person's word."""

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest

from harness.adapters import asking
from harness.hosts.onlooker import Onlooker
from harness.workflow import drain
from harness.workflow.drain import Kept, Load, Politeness, WhenBusy, load_of, users_gone
from tests.harness.workflow.bench_yard import BenchYard

DRAIN = Politeness(WhenBusy.DRAIN, limit_s=30)


@asynccontextmanager
async def user(url: str, tokens: int) -> AsyncIterator[None]:
    """Somebody who is being answered while the block runs."""
    body = {"prompt": "x", "max_tokens": tokens}
    async with (
        httpx.AsyncClient(trust_env=False, timeout=60) as client,
        client.stream("POST", f"{url}/v1/completions", content=json.dumps(body)) as answer,
    ):
        lines = answer.aiter_lines()
        await anext(lines)
        reading = asyncio.ensure_future(_read(lines))
        try:
            yield
        finally:
            reading.cancel()
            await asyncio.wait({reading})


async def _read(lines: AsyncIterator[str]) -> None:
    async for _ in lines:
        pass


async def test_nobody_is_asked_where_nothing_runs(tmp_path: Path) -> None:
    yard = BenchYard(tmp_path)
    target = yard.order().target
    assert await users_gone(target, yard.place, Politeness(), lambda said: None) is None
    assert await load_of(target, Onlooker(yard.place)) is None


async def test_users_are_seen_refused_and_waited_for(tmp_path: Path) -> None:
    yard, said = BenchYard(tmp_path), list[str]()
    target = yard.order().target
    async with yard.production() as host:
        url = (await host.production()).url or ""
        assert await users_gone(target, yard.place, Politeness(), said.append) is None
        async with user(url, tokens=20_000):
            assert await load_of(target, Onlooker(yard.place)) == Load(1, 0)
            kept = await users_gone(target, yard.place, Politeness(), said.append)
            assert isinstance(kept, Kept) and not kept.final
            assert kept.sentence.startswith("users are on 'small' (1 requests running, 0 waiting); try later")
            late = await users_gone(target, yard.place, Politeness(WhenBusy.DRAIN, limit_s=0.1), said.append)
            assert isinstance(late, Kept) and "were on 'small' for 0.1 s" in late.sentence
            assert said == ["waiting for users of small: 1 requests running, 0 waiting"]
            waiting = asyncio.ensure_future(users_gone(target, yard.place, DRAIN, said.append))
            while len(said) < 2:  # noqa: ASYNC110 - it is told from a plain function
                await asyncio.sleep(0.05)
            assert not waiting.done()
        assert await waiting is None


async def test_a_production_that_nobody_can_ask_needs_a_persons_word(tmp_path: Path) -> None:
    yard = BenchYard(tmp_path)
    target = yard.order().target
    unpublished = target.model_copy(update={"adapter": "command"})
    async with yard.production():
        kept = await users_gone(unpublished, yard.place, DRAIN, lambda said: None)
        assert isinstance(kept, Kept) and kept.final and "--users-accept" in kept.sentence
        accepted = Politeness(users_accept=True)
        assert await users_gone(unpublished, yard.place, accepted, lambda said: None) is None


async def test_a_production_that_does_not_answer_in_time_is_not_one_that_counts_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A real server, frozen as a busy machine may freeze it, then let go."""
    yard = BenchYard(tmp_path)
    target = yard.order().target
    monkeypatch.setattr(asking, "ASK_TIMEOUT_S", 0.2)
    monkeypatch.setattr(drain, "POLL_S", 0.05)
    async with yard.production() as host:
        held = (await host.production()).held
        assert held is not None
        os.kill(held.pid, signal.SIGSTOP)
        try:
            monkeypatch.setattr(drain, "SILENT_LIMIT_S", 0.3)
            kept = await users_gone(target, yard.place, Politeness(), lambda said: None)
            assert isinstance(kept, Kept) and not kept.final
            assert kept.sentence == (
                "production of 'small' did not say within 0.3 s whether users are on (its /metrics: it did not answer "
                "within 0.2 s); it hangs or its machine is too busy: look at it and try again, or say --users-accept "
                "if users accept that it goes away"
            )
            assert await users_gone(target, yard.place, Politeness(users_accept=True), lambda said: None) is None
            monkeypatch.setattr(drain, "SILENT_LIMIT_S", 60.0)
            waiting = asyncio.ensure_future(users_gone(target, yard.place, Politeness(), lambda said: None))
            done, _ = await asyncio.wait({waiting}, timeout=0.5)
            assert not done
        finally:
            os.kill(held.pid, signal.SIGCONT)
        monkeypatch.setattr(asking, "ASK_TIMEOUT_S", 10.0)
        assert await waiting is None
