"""What the client says about itself: delays, lag, CPU and the rule for client-bound."""

import asyncio
import time
from dataclasses import replace

import pytest

from harness.client.load import BUSY_SHARE, LATE_MS, ClientLoad, LoadMeter, percentile

QUIET = ClientLoad(
    requests=8,
    events=2000,
    open_s=10.0,
    cpu_s=0.1,
    dispatch_p99_ms=0.2,
    dispatch_max_ms=0.3,
    lag_p99_ms=0.4,
    lag_max_ms=2.0,
)


def test_a_quiet_client_is_not_the_bottleneck() -> None:
    assert not QUIET.bound and QUIET.complaints == ()
    assert QUIET.cpu_us_per_event == pytest.approx(50) and QUIET.busy_share == pytest.approx(0.01)
    assert QUIET.sentence == (
        "client-bound: no (0.01 of a core, 50 us an event, loop late 0.4 ms and sending 0.2 ms at p99)"
    )


@pytest.mark.parametrize(
    ("load", "words"),
    [
        (replace(QUIET, cpu_s=(BUSY_SHARE + 0.01) * 10), "it used 0.71 of a core, over 0.7"),
        (replace(QUIET, lag_p99_ms=LATE_MS + 0.1), "its loop came 5.1 ms late at p99, over 5"),
        (replace(QUIET, dispatch_p99_ms=LATE_MS + 0.1), "it sent 5.1 ms late at p99, over 5"),
        (replace(QUIET, lag_p99_ms=float("nan")), "its loop came nan ms late"),
    ],
)
def test_each_limit_makes_it_client_bound(load: ClientLoad, words: str) -> None:
    assert load.bound and load.sentence.startswith("client-bound: yes (") and words in load.sentence
    assert load.as_json()["bound"] is True


def test_the_limits_themselves_are_still_good() -> None:
    load = replace(QUIET, cpu_s=BUSY_SHARE * 10, lag_p99_ms=LATE_MS, dispatch_p99_ms=LATE_MS)
    assert not load.bound


def test_a_client_that_did_nothing_divides_by_nothing() -> None:
    load = LoadMeter().load()
    assert (load.requests, load.cpu_us_per_event, load.busy_share, load.bound) == (0, 0.0, 0.0, False)


@pytest.mark.parametrize(
    ("values", "rank", "value"),
    [([], 0.99, 0.0), ([3.0], 0.99, 3.0), ([*map(float, range(1, 101))], 0.99, 99.0), ([1.0, 2.0], 0.5, 1.0)],
)
def test_a_percentile_is_a_value_that_was_seen(values: list[float], rank: float, value: float) -> None:
    assert percentile(values, rank) == value


async def test_time_and_cpu_count_only_while_a_request_is_open() -> None:
    meter = LoadMeter()
    await asyncio.sleep(0.05)
    with meter.request():
        with meter.request():
            began = time.process_time()
            while time.process_time() - began < 0.05:
                pass
        assert meter.load().cpu_s >= 0.05
    closed = meter.load()
    await asyncio.sleep(0.05)
    assert meter.load() == closed
    assert (closed.requests, closed.events) == (2, 0)
    assert 0.05 <= closed.cpu_s <= closed.open_s + 0.01


async def test_a_loop_that_was_held_up_shows_as_lag() -> None:
    meter = LoadMeter()
    sampling = asyncio.ensure_future(meter.sample())
    with meter.request():
        for _ in range(5):
            await asyncio.sleep(0.021)
            began = time.perf_counter()
            while time.perf_counter() - began < 0.06:
                pass
    sampling.cancel()
    await asyncio.wait([sampling])
    load = meter.load()
    assert load.lag_max_ms > 30 and load.bound


async def test_lag_of_an_idle_client_is_not_counted() -> None:
    meter = LoadMeter()
    sampling = asyncio.ensure_future(meter.sample())
    await asyncio.sleep(0.03)
    time.sleep(0.05)  # noqa: ASYNC251 - the loop is held up on purpose
    await asyncio.sleep(0.03)
    sampling.cancel()
    await asyncio.wait([sampling])
    assert meter.load().lag_max_ms == 0.0


async def test_a_restarted_meter_knows_only_what_came_after() -> None:
    meter = LoadMeter()
    with meter.request():
        meter.arrived(7)
        meter.dispatched(9.0)
        await asyncio.sleep(0.05)
        meter.restart()
        meter.arrived(3)
    load = meter.load()
    assert (load.requests, load.events, load.dispatch_max_ms) == (1, 3, 0.0)
    assert load.open_s < 0.05
