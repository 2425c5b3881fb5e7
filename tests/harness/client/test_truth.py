"""The benchmark's server knows the truth, and the client never sees a token before it was written."""

import pytest

from benchmarks.client import Run, known, ours, table, truth


def test_the_client_never_sees_a_token_before_it_was_written() -> None:
    with truth(ttft_ms=30, gap_ms=2) as url:
        one = ours(url, "harness", streams=2, requests=6, tokens=5)
        assert known(url) == {}
    assert one.events == 30
    assert one.ttft_ms.keys() == one.truth_ms.keys() == set(range(6))
    assert all(value >= 30 for value in one.truth_ms.values())
    assert all(one.ttft_ms[number] > one.truth_ms[number] - 0.5 for number in range(6))
    assert one.cpu_us > 0 and one.rss_mib > 10


def test_bias_is_the_difference_of_the_two_percentiles() -> None:
    one = Run({0: 51.0, 1: 53.0}, {0: 50.0, 1: 50.5}, events=10, wall_s=1, cpu_s=0.001, rss_mib=30)
    assert (one.bias_ms, one.worst_ms) == (2.5, 2.5)
    assert one.cpu_us == pytest.approx(100)


def test_the_table_leaves_out_what_was_not_measured() -> None:
    rows = [("harness", "bias", 8, 0.123), ("httpx", "bias", 8, 1.0), ("harness", "bias", 64, 0.5)]
    assert table(rows, ["harness", "httpx"]).splitlines() == [
        "| | streams | harness | httpx |",
        "|---|---|---|---|",
        "| bias | 8 | 0.12 | 1.00 |",
        "| bias | 64 | 0.50 | - |",
    ]
