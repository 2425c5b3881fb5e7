"""The benchmark's server knows the truth, and the client never sees a token before it was written."""

import os
import time

import pytest

from benchmarks.client import ALL, CPU, Row, Run, cell, known, loads, ours, rows_of, table, truth
from benchmarks.client_quiet import Watch
from benchmarks.client_rivals import Load


def test_the_client_never_sees_a_token_before_it_was_written() -> None:
    with truth(ttft_ms=30, gap_ms=2) as server:
        one = ours(server, "harness", Load(streams=2, requests=6, tokens=5))
        assert known(server.url) == {}
    assert one.events == 30
    assert one.ttft_ms.keys() == one.truth_ms.keys() == set(range(6)) >= one.quiet
    assert all(value >= 30 for value in one.truth_ms.values())
    assert all(one.ttft_ms[number] > one.truth_ms[number] - 0.5 for number in range(6))
    assert one.cpu_us > 0 and one.rss_mib > 10 and one.waited_share >= 0


@pytest.mark.system
def test_the_least_that_a_client_can_do_is_measured_beside_it() -> None:
    with truth(ttft_ms=30, gap_ms=2) as server:
        one = ours(server, "floor", Load(streams=2, requests=4, tokens=5))
    assert one.events == 20 and one.ttft_ms.keys() == one.truth_ms.keys() == set(range(4))
    assert all(one.ttft_ms[number] > one.truth_ms[number] - 0.5 for number in range(4)) and one.cpu_us > 0


def test_the_loads_that_are_asked_for_are_measured() -> None:
    assert [(load.streams, load.tokens) for load in loads(["bias"], [])] == [(1, 6), (4, 6), (8, 6), (64, 6)]
    assert [(load.streams, load.tokens) for load in loads(["bias", "cpu"], [8])] == [(8, 6), (8, 128)]
    assert loads(["rest"], []) == []


def test_bias_is_the_difference_of_the_two_percentiles_over_all_requests_or_the_undisturbed() -> None:
    seen, true = {0: 51.0, 1: 53.0, 2: 99.0}, {0: 50.0, 1: 50.5, 2: 50.0}
    one = Run(seen, true, events=10, wall_s=1, cpu_s=0.001, rss_mib=30, quiet=frozenset({0, 1}))
    assert (one.bias_ms(), one.bias_ms(quiet=True), one.worst_ms) == (48.5, 2.5, 2.5)
    assert one.cpu_us == pytest.approx(100)
    said = {row.what: row.value for row in rows_of("harness", Load(1, 3, 6), one)}
    assert said == {"bias of p99, all requests, ms": 48.5, "requests undisturbed, %": pytest.approx(200 / 3)}


def test_a_moment_is_quiet_if_nobody_waited_between_the_readings_around_it() -> None:
    watch = Watch(())
    watch.at, watch.waited = [1.0, 2.0, 3.0, 4.0], [0.0, 0.0, 0.002, 0.002]
    assert watch.quiet(1.1, 1.9, 0.001) and watch.quiet(3.1, 3.2, 0.001) and watch.quiet(1.1, 2.1, 0.002)
    assert not watch.quiet(1.1, 2.1, 0.001) and not watch.quiet(2.5, 3.5, 0.001)
    assert not watch.quiet(0.5, 1.5, 1) and not watch.quiet(3.5, 4.5, 1), "outside of what was watched nothing is known"
    assert watch.share == pytest.approx(0.002 / 3)


def test_the_kernels_count_of_this_very_process_is_read() -> None:
    with Watch((os.getpid(),)) as watch:
        deadline = time.monotonic() + 10
        while len(watch.at) < 3 and time.monotonic() < deadline:
            time.sleep(0.001)
    assert watch.at == sorted(watch.at) and watch.waited == sorted(watch.waited) and len(watch.at) >= 3


def test_the_table_shows_medians_with_their_span_and_leaves_out_what_was_not_measured() -> None:
    rows = [Row("harness", CPU, 8, value) for value in (41.0, 40.0, 57.0)]
    rows += [Row("httpx", CPU, 8, 113.0), Row("harness", ALL, 64, 0.5)]
    assert table(rows, ["harness", "httpx"]).splitlines() == [
        "| | streams | harness | httpx |",
        "|---|---|---|---|",
        "| bias of p99, all requests, ms | 64 | 0.50 | - |",
        "| CPU of an event, us | 8 | 41.00 (40.00 to 57.00) | 113.00 |",
    ]
    assert cell([]) == "-"
