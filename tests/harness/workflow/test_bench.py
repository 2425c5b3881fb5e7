"""The way back to production: over a new guardian, past a ledger that cannot be written, and through Ctrl-C."""

import asyncio
import json
import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from harness.hosts.base import Held
from harness.vocabulary.outcome import Reason
from harness.workflow.attest import attest
from harness.workflow.bench import Bench
from harness.workflow.events import MeasureEvent
from harness.workflow.measure import Measurement, NotMeasured
from harness.workflow.production import production_spec
from ledger.entries import RunEnd, TargetState
from ledger.store import Ledger, LedgerError
from tests.harness.workflow.bench_yard import BenchYard, no_guardian, until


def kill_guardian(yard: BenchYard) -> None:
    os.kill(json.loads((yard.place / "guardian.json").read_text(encoding="utf-8"))["pid"], signal.SIGKILL)


async def test_a_guardian_killed_before_the_way_back_is_replaced(tmp_path: Path) -> None:
    yard = BenchYard(tmp_path)
    async with yard.production():
        with yard.ledger() as ledger:
            bench = await Bench.open(yard.place, yard.order(), yard.folder, ledger)
            await bench.clear()
            kill_guardian(yard)
            assert isinstance(await bench.restore(), Held)
            await bench.close()
            assert [state.state for _, state in ledger.of(TargetState)] == ["up", "taken_down", "restored"]
        assert (await attest(yard.order().target, yard.place)).as_described


async def test_production_comes_back_as_it_ran_whatever_was_recorded_since(tmp_path: Path) -> None:
    """Its file was changed, and `harness start` of an older version recorded that for the next start."""
    yard = BenchYard(tmp_path)
    good = production_spec(yard.order().target, tmp_path)
    async with yard.production() as host:
        await host.set_production(replace(good, argv=("/none/server", *good.argv[1:])))
        with yard.ledger() as ledger:
            bench = await Bench.open(yard.place, yard.order(), yard.folder, ledger)
            assert await bench.lacking(()) is None, "what is asked is whether it can come back as it runs"
            await bench.clear()
            assert isinstance(await bench.restore(), Held)
            await bench.close()
        assert (await host.production()).started_as == good


async def test_a_ledger_that_cannot_be_written_does_not_keep_production_down(tmp_path: Path) -> None:
    yard = BenchYard(tmp_path)
    async with yard.production():
        ledger = yard.ledger()
        bench = await Bench.open(yard.place, yard.order(), yard.folder, ledger)
        await bench.clear()
        ledger.close()
        with pytest.raises(LedgerError, match="is closed; open it again; production is up again all the same"):
            await bench.restore()
        await bench.close()
        assert (await attest(yard.order().target, yard.place)).as_described


async def test_a_stop_while_production_comes_back_waits_for_it(tmp_path: Path) -> None:
    yard, events = BenchYard(tmp_path), list[MeasureEvent]()
    async with yard.production() as host:
        with yard.ledger() as ledger:
            task = asyncio.ensure_future(yard.measurement(yard.order(), ledger, events).run())
            await until(events, "launch", 1)
            task.cancel()
            await until(events, "production", 2)  # it is being brought back
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert [state.state for _, state in ledger.of(TargetState)] == ["up", "taken_down", "restored"]
            assert ledger.of(RunEnd) == []
        assert events[-1].text.startswith("production is up, pid ")
        assert (await host.production()).held is not None
        assert (await attest(yard.order().target, yard.place)).as_described


async def test_a_stop_while_production_does_not_come_back_is_not_taken_for_a_mere_stop(tmp_path: Path) -> None:
    yard, tasks = BenchYard(tmp_path), list[asyncio.Task[object]]()
    async with yard.production():
        with yard.ledger() as ledger, no_guardian(yard.place) as break_it:

            def stop(event: MeasureEvent) -> None:
                if event.text in ("production is taken down", "bringing production back"):
                    tasks[0].cancel()
                if event.text == "bringing production back":
                    break_it()

            tasks.append(asyncio.create_task(Measurement(yard.order(), yard.folder, ledger, stop).run()))
            said = await tasks[0]
    assert isinstance(said, NotMeasured) and said.reason is Reason.HARNESS_LOST, said
    assert said.sentence.startswith("production was not brought back: ")


async def test_a_watcher_that_cannot_be_told_does_not_end_the_run(tmp_path: Path) -> None:
    yard = BenchYard(tmp_path)

    def broken(event: MeasureEvent) -> None:
        raise BrokenPipeError(32, f"nobody hears {event.what}")

    async with yard.production():
        with yard.ledger() as ledger:
            await Measurement(yard.order(blocks=2), yard.folder, ledger, broken).run()
            assert len(ledger.of(RunEnd)) == 1
        assert (await attest(yard.order().target, yard.place)).as_described


async def test_a_run_killed_just_before_its_end_leaves_production_alone(tmp_path: Path) -> None:
    yard, events = BenchYard(tmp_path), list[MeasureEvent]()
    async with yard.production() as host:
        with yard.ledger() as ledger:
            task = asyncio.ensure_future(yard.measurement(yard.order(), ledger, events).run())
            await until(events, "launch_done", 6)
            task.cancel()
            await asyncio.wait([task])
        held = (await host.production()).held
        with yard.ledger() as ledger:
            assert len(ledger.of(RunEnd)) == 0
            await _again(yard, ledger, events)
            assert len(ledger.of(RunEnd)) == 1
        assert (await host.production()).held == held


async def _again(yard: BenchYard, ledger: Ledger, events: list[MeasureEvent]) -> None:
    events.clear()
    await yard.measurement(yard.order(), ledger, events).run()
    assert [event.what for event in events if event.what == "launch"] == []
