"""The measuring process outlives its front office, is rejoined, and says how it ended, whatever a kill left behind."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from committee.measure.process import Ended, RunFiles, measure
from harness.lease import Lease
from harness.lease import read as read_lease
from harness.workflow.events import MeasureEvent
from harness.workflow.order import Order
from ledger.entries import MeasuringRun, RunEnd
from tests.harness.workflow.bench_yard import FAST, BenchYard, launches

RUN = "measure-test-000001"


def files_of(yard: BenchYard) -> RunFiles:
    """Where the run's shared files lie."""
    return RunFiles(yard.folder / ".committee" / "runs" / RUN)


async def measured(yard: BenchYard, order: Order, told: list[MeasureEvent]) -> Ended:
    """One start of the order by the front office."""
    with yard.ledger() as ledger:
        return await measure(yard.folder, order, files_of(yard), ledger, told.append, ("--yes",))


async def until_told(told: list[MeasureEvent], what: str) -> None:
    """Wait for the first event of a kind; bounded."""
    async with asyncio.timeout(60):
        while not any(event.what == what for event in told):  # noqa: ASYNC110 - events come from a plain list
            await asyncio.sleep(0.02)


@asynccontextmanager
async def another_start(yard: BenchYard) -> AsyncIterator[asyncio.subprocess.Process]:
    """The same order, begun by a process that is not this front office."""
    files = files_of(yard)
    files.folder.mkdir(parents=True)
    files.order.write_text(yard.order(FAST).to_json())
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "harness", "measure", "--order", str(files.order)),
        *("--workspace", str(yard.folder), "--progress", str(files.progress), "--yes"),
        start_new_session=True,
    )
    try:
        async with asyncio.timeout(60):
            while not (files.progress.exists() and b'"launch"' in files.progress.read_bytes()):  # noqa: ASYNC110
                await asyncio.sleep(0.02)
        yield process
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGINT)
        await process.wait()


@pytest.fixture
def yard(tmp_path: Path) -> BenchYard:
    """A workspace with a small server."""
    (tmp_path / "targets").mkdir()
    return BenchYard(tmp_path)


async def test_left_overs_of_an_earlier_start_do_no_harm(yard: BenchYard) -> None:
    files = files_of(yard)
    files.folder.mkdir(parents=True)
    files.order.write_text(yard.order(FAST).to_json())
    files.words.write_text("an earlier start said this\n")
    files.progress.write_bytes(b'{"what": "launch", "run": "old", "te')  # a half line, as a kill leaves it
    told: list[MeasureEvent] = []
    other = yard.order({**FAST, "name": "another"}, blocks=3)
    assert await measured(yard, other, told) == Ended("completed", told[-1].text)
    with yard.ledger() as ledger:
        ((_, plan),) = ledger.of(MeasuringRun)
        assert plan.blocks == 2, "the order of the first start stands"
        assert len(launches(ledger)) == 6
    assert {event.run for event in told} == {RUN}
    assert [event.what for event in told][-1] == "end"
    assert (await measured(yard, other, [])).outcome == "completed", "an ended run is not started again"


@pytest.mark.system
async def test_half_an_order_is_written_again(yard: BenchYard) -> None:
    files = files_of(yard)
    files.folder.mkdir(parents=True)
    files.order.write_text(yard.order(FAST).to_json()[:200])
    told: list[MeasureEvent] = []
    task = asyncio.ensure_future(measured(yard, yard.order(FAST), told))
    await until_told(told, "launch")
    assert Order.from_json(files.order) == yard.order(FAST)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_run_under_way_is_rejoined_and_not_begun_twice(yard: BenchYard) -> None:
    async with another_start(yard) as process:
        with files_of(yard).progress.open("ab") as progress:
            progress.write(b'{"what": "half of a l\n[1, 2]\n')  # told by nobody, passed over
        told: list[MeasureEvent] = []
        ended = await measured(yard, yard.order(FAST), told)
        assert ended.outcome == "completed"
        assert await process.wait() == 0
    with yard.ledger() as ledger:
        assert len(ledger.of(MeasuringRun)) == len(ledger.of(RunEnd)) == 1
        assert len(launches(ledger)) == 6


async def test_cancelled_while_watching_it_waits_until_production_is_back(yard: BenchYard) -> None:
    async with yard.production() as host, another_start(yard) as process:
        told: list[MeasureEvent] = []
        task = asyncio.ensure_future(measured(yard, yard.order(FAST), told))
        await until_told(told, "launch")
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert read_lease(yard.place) is None, "the measuring process had given its lease back"
        assert (await host.production()).held is not None
        assert await process.wait() == 130
        assert any("production is up" in event.text for event in told)


@pytest.mark.system
async def test_a_killed_measuring_process_has_no_last_words(yard: BenchYard) -> None:
    files = files_of(yard)
    files.folder.mkdir(parents=True)
    files.words.write_text("stopped by a person\n")  # an earlier start's, not this one's
    told: list[MeasureEvent] = []
    task = asyncio.ensure_future(measured(yard, yard.order(FAST), told))
    await until_told(told, "launch")
    holder = read_lease(yard.place)
    assert holder is not None and holder.pid != os.getpid()
    assert os.getsid(holder.pid) == holder.pid != os.getsid(0), "a session of its own"
    os.kill(holder.pid, signal.SIGKILL)
    ended = await task
    assert ended.outcome is None
    assert ended.sentence == "the measuring process ended without a word; its finished blocks are kept"
    assert (await measured(yard, yard.order(FAST), [])).outcome == "completed"
    with yard.ledger() as ledger:
        assert len(ledger.of(MeasuringRun)) == 1


async def test_what_the_process_said_last_is_the_sentence(yard: BenchYard) -> None:
    lease = Lease.take(yard.place, "measure-other-000001")
    assert isinstance(lease, Lease)
    with lease:
        ended = await measured(yard, yard.order(FAST), [])
    assert ended.outcome is None
    assert f"is being measured by {lease.holder.owner} (pid {os.getpid()}" in ended.sentence


@pytest.mark.system
async def test_more_words_reach_the_measuring_process(yard: BenchYard) -> None:
    with yard.ledger() as ledger:
        ended = await measure(
            yard.folder, yard.order(FAST), files_of(yard), ledger, lambda event: None, ("--yes", "--once")
        )
    assert ended.outcome is None and "--once ends a run with its window; name one with --window" in ended.sentence
