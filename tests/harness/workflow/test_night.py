"""Runs in windows of a settable clock: they wait, end in time, are resumed, and stop when a person wishes it."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from harness.hosts.onlooker import Onlooker
from harness.lease import Lease
from harness.vocabulary.base import BadFileError
from harness.vocabulary.outcome import Reason
from harness.workflow.conclude import Conclusion
from harness.workflow.drain import Politeness
from harness.workflow.events import MeasureEvent
from harness.workflow.measure import Measurement, NotMeasured
from harness.workflow.night import Hours, Night, cost_of
from harness.workflow.plan import commit_plan
from harness.workflow.run_files import RunFiles, Wish
from harness.workflow.window import Window
from ledger.entries import Launch, RunEnd
from ledger.store import Ledger
from tests.harness.workflow.bench_yard import BenchYard, until
from tests.ledger.examples import launch

HOUR_S = 3600.0
ENDED_S = 60.0  # of the real clock: a run that no window has room for must not go on from window to window
OPEN, SHUT = 3 * HOUR_S, 12 * HOUR_S  # moments on a clock that shows UTC, inside and outside of 02:00-06:00


@dataclass
class Clock:
    """A wall clock that the test sets; each look moves it by a moment."""

    at: float
    events: list[MeasureEvent] = field(default_factory=list)

    def now(self) -> float:
        return self.at

    def hours(self, *, once: bool = False) -> Hours:
        """02:00-06:00 on this clock."""
        window = Window.parse("02:00-06:00")
        return Hours(window, once, clock=lambda at: int(at // 60) % 1440, now=self.now, passed=self.now, retry_s=0.05)

    def tell(self, event: MeasureEvent) -> None:
        self.events.append(event)

    def said(self, what: str) -> list[str]:
        """The texts of all events of a kind."""
        return [event.text for event in self.events if event.what == what]


def night(yard: BenchYard, ledger: Ledger, clock: Clock, hours: Hours) -> Night:
    """The yard's order as a run in windows."""
    measurement = yard.measurement(yard.order(), ledger, clock.events)
    files = RunFiles.of(yard.folder, yard.order().run)
    files.enter(yard.order().run, "small", "02:00-06:00")
    return Night(measurement, files, hours, Politeness(users_accept=True))


def blocks_on_record(ledger: Ledger) -> set[int]:
    """Blocks of which something is on record."""
    return {launch.block for _, launch in ledger.of(Launch)}


async def test_it_waits_for_its_window_and_measures_in_it(tmp_path: Path) -> None:
    yard, clock = BenchYard(tmp_path), Clock(SHUT)
    with yard.ledger() as ledger:
        task = asyncio.ensure_future(night(yard, ledger, clock, clock.hours()).run())
        await until(clock.events, "waiting", 1)
        assert clock.said("waiting")[0].startswith("production is left alone until ")
        assert ledger.of(Launch) == []
        clock.at = OPEN
        assert isinstance(await task, Conclusion)
        assert [event.what for event in clock.events].count("end") == 1 and clock.events[-1].what == "end"


async def test_too_little_of_a_window_is_not_begun(tmp_path: Path) -> None:
    yard, clock = BenchYard(tmp_path), Clock(6 * HOUR_S - 1)
    with yard.ledger() as ledger:
        task = asyncio.ensure_future(night(yard, ledger, clock, clock.hours()).run())
        await until(clock.events, "waiting", 1)
        assert "too little is left of 02:00-06:00" in clock.said("waiting")[0]
        assert ledger.of(Launch) == []
        clock.at = OPEN
        assert isinstance(await task, Conclusion)


async def test_between_windows_production_is_up_and_finished_blocks_stand(tmp_path: Path) -> None:
    yard, clock = BenchYard(tmp_path), Clock(OPEN)
    async with yard.production() as host:
        with yard.ledger() as ledger:
            task = asyncio.ensure_future(night(yard, ledger, clock, clock.hours()).run())
            await until(clock.events, "launch_done", 2)
            clock.at = 6 * HOUR_S - cost_of(yard.order()).hold_back_s - 1.5  # the block may end, another may not begin
            await until(clock.events, "waiting", 1)
            assert (await host.production()).held is not None
            assert "closes before another block would end" in clock.said("waiting")[0]
            assert blocks_on_record(ledger) == {0} and ledger.of(RunEnd) == []
            clock.at = SHUT
            await until(clock.events, "waiting", 2)
            clock.at = OPEN + 24 * HOUR_S
            assert isinstance(await task, Conclusion)
            assert {(x.block, x.attempt) for _, x in ledger.of(Launch)} == {(0, 1), (1, 1)}
        assert (await host.production()).held is not None


async def test_a_block_that_runs_over_the_end_is_broken_off(tmp_path: Path) -> None:
    yard, clock = BenchYard(tmp_path), Clock(OPEN)
    async with yard.production() as host:
        with yard.ledger() as ledger:
            task = asyncio.ensure_future(night(yard, ledger, clock, clock.hours(once=True)).run())
            await until(clock.events, "launch", 1)
            clock.at = SHUT
            outcome = await task
            assert isinstance(outcome, NotMeasured)
            assert ledger.of(RunEnd) == [] and len(ledger.of(Launch)) < 3
        assert (await host.production()).held is not None


async def test_a_block_that_needs_more_than_any_window_ends_the_run_with_production_back(tmp_path: Path) -> None:
    """The planning figures say that it fits; only the block itself shows that it does not."""
    yard, clock = BenchYard(tmp_path), Clock(2 * HOUR_S)
    async with yard.production() as host:
        with yard.ledger() as ledger:
            task = asyncio.ensure_future(night(yard, ledger, clock, clock.hours()).run())
            await until(clock.events, "launch", 1)
            clock.at = 6 * HOUR_S - 5  # nearly the whole window went by, and not one launch is done
            outcome = await asyncio.wait_for(task, ENDED_S)
            assert isinstance(outcome, NotMeasured) and outcome.reason is Reason.WINDOW_TOO_SHORT
            assert "take about 264 minutes by this run's own launches" in outcome.sentence
            assert ledger.of(RunEnd) == [] and clock.events[-1].what == "end"
        assert (await host.production()).held is not None


async def test_a_run_whose_own_pace_fits_no_window_is_refused_before_production_stops(tmp_path: Path) -> None:
    yard, clock = BenchYard(tmp_path), Clock(OPEN)
    async with yard.production() as host:
        before = (await host.production()).held
        with yard.ledger() as ledger:
            plan = commit_plan(ledger, yard.order())
            slow = launch(plan.run, 0, None).model_copy(update={"target": "small", "took_s": 1.5 * HOUR_S})
            ledger.append(slow)  # of an earlier start: three such launches are a block of four and a half hours
            outcome = await night(yard, ledger, clock, clock.hours()).run()
            assert isinstance(outcome, NotMeasured) and outcome.reason is Reason.WINDOW_TOO_SHORT
            assert "the window 02:00-06:00 has 240" in outcome.sentence
            assert len(ledger.of(Launch)) == 1
        assert (await host.production()).held == before


async def test_a_start_that_took_longer_than_planned_is_held_back_for_production(tmp_path: Path) -> None:
    yard, clock = BenchYard(tmp_path), Clock(OPEN)
    with yard.ledger() as ledger:
        plan = commit_plan(ledger, yard.order())
        seen = launch(plan.run, 0, None).model_copy(update={"target": "small", "role": "baseline", "arm": None})
        ledger.append(seen.model_copy(update={"ready_s": 4 * HOUR_S}))  # the planning figure says 0.3 s
        run = night(yard, ledger, clock, clock.hours())
        assert run.cost.hold_back_s == cost_of(yard.order()).hold_back_s
        outcome = await run.run()
        assert isinstance(outcome, NotMeasured) and outcome.reason is Reason.WINDOW_TOO_SHORT
        assert run.cost.return_s == 4 * HOUR_S and len(ledger.of(Launch)) == 1


@pytest.mark.parametrize(("wish", "stand"), [(Wish.AFTER_BLOCK, {0}), (Wish.NOW, set())])
async def test_a_wish_to_stop_brings_production_back(tmp_path: Path, wish: Wish, stand: set[int]) -> None:
    yard, clock = BenchYard(tmp_path), Clock(OPEN)
    async with yard.production() as host:
        with yard.ledger() as ledger:
            run = night(yard, ledger, clock, Hours())
            task = asyncio.ensure_future(run.run())
            await until(clock.events, "launch", 1)
            run.files.ask_to_stop(wish)
            outcome = await task
            assert isinstance(outcome, NotMeasured) and "stopped by a person" in outcome.sentence
            whole = {block for block in (0, 1) if sum(x.block == block for _, x in ledger.of(Launch)) == 3}
            assert whole == stand and ledger.of(RunEnd) == []
        assert (await host.production()).held is not None


async def test_a_stop_that_meets_production_on_its_way_back_is_an_end_and_no_loss(tmp_path: Path) -> None:
    yard, clock, measuring = BenchYard(tmp_path), Clock(OPEN), list[asyncio.Task[object]]()
    async with yard.production() as host:
        with yard.ledger() as ledger:
            run = night(yard, ledger, clock, clock.hours())

            def tell(event: MeasureEvent) -> None:
                clock.tell(event)
                if event.text == "production is taken down":  # told by the measurement itself
                    run.files.ask_to_stop(Wish.AFTER_BLOCK)
                    measuring.append(asyncio.current_task())  # type: ignore[arg-type]
                elif event.text == "bringing production back":
                    measuring[0].cancel()  # as a wish to stop now does, whenever it is looked for

            run.measurement = replace(run.measurement, tell=tell)
            outcome = await run.run()
        assert isinstance(outcome, NotMeasured) and "stopped by a person" in outcome.sentence
        assert clock.events[-1].what == "end" and "stopped by a person" in clock.events[-1].text
        assert (await host.production()).held is not None


@dataclass(frozen=True)
class Returning(Measurement):
    """A measurement that ends only when it is told to, and then says that it brings production back."""

    async def run(self) -> Conclusion | NotMeasured:
        self._say("plan", "")
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(ENDED_S)
        self._say("production", "bringing production back")
        await asyncio.sleep(ENDED_S)  # until the person's word comes
        raise AssertionError("it was told nothing")


async def test_a_person_who_stops_a_run_while_its_window_closes_ends_it(tmp_path: Path) -> None:
    yard, clock, runs = BenchYard(tmp_path), Clock(OPEN), list[asyncio.Task[object]]()
    with yard.ledger() as ledger:
        run = night(yard, ledger, clock, clock.hours())

        def tell(event: MeasureEvent) -> None:
            clock.tell(event)
            clock.at = SHUT
            if event.text == "bringing production back":
                runs[0].cancel()

        run.measurement = Returning(run.order, yard.folder, ledger, tell)
        runs.append(asyncio.create_task(run.run()))
        with pytest.raises(asyncio.CancelledError):
            async with asyncio.timeout(ENDED_S):
                await runs[0]
    assert clock.said("waiting") == []


async def test_a_wish_ends_the_waiting(tmp_path: Path) -> None:
    yard, clock = BenchYard(tmp_path), Clock(SHUT)
    with yard.ledger() as ledger:
        run = night(yard, ledger, clock, clock.hours())
        task = asyncio.ensure_future(run.run())
        await until(clock.events, "waiting", 1)
        run.files.ask_to_stop(Wish.AFTER_BLOCK)
        outcome = await task
        assert isinstance(outcome, NotMeasured) and "stopped by a person" in outcome.sentence
        assert clock.events[-1].what == "end"
    assert (await Onlooker(yard.place).production()).spec is None


async def test_another_measurement_is_waited_for_in_the_window(tmp_path: Path) -> None:
    yard, clock = BenchYard(tmp_path), Clock(OPEN)
    lease = Lease.take(yard.place, "measure-other-000001")
    assert isinstance(lease, Lease)
    with yard.ledger() as ledger:
        with lease:
            task = asyncio.ensure_future(night(yard, ledger, clock, clock.hours()).run())
            await until(clock.events, "waiting", 1)
            assert "is being measured by" in clock.said("waiting")[0]
        assert isinstance(await task, Conclusion)


def test_once_needs_a_window() -> None:
    with pytest.raises(BadFileError, match="name one with --window"):
        Hours.of("", once=True)
    assert Hours.of("", once=False).open_s() == float("inf") and Hours.of("", once=False).shut_s() == 0


def test_the_cost_of_an_order_is_its_plan_by_blocks(tmp_path: Path) -> None:
    cost = cost_of(BenchYard(tmp_path).order())
    launch_s = 0.3 + 300 / 300 + (2 + 2**0.67) * 24 / 300
    assert cost.blocks == 2 and cost.return_s == 0.3
    assert cost.teardown_s == 2 + 1  # grace, and the limit for memory to come back
    assert cost.block_s == pytest.approx(3 * launch_s)


async def test_a_word_right_before_the_stop_leaves_production_alone(tmp_path: Path) -> None:
    yard, events = BenchYard(tmp_path), list[MeasureEvent]()

    async def no() -> str | None:
        return "users are back"

    async with yard.production() as host:
        before = (await host.production()).held
        with yard.ledger() as ledger:
            outcome = await replace(yard.measurement(yard.order(), ledger, events), may_stop=no).run()
            assert isinstance(outcome, NotMeasured) and outcome.sentence == "users are back"
            assert ledger.of(Launch) == [] and ledger.of(RunEnd) == []
        assert (await host.production()).held == before
