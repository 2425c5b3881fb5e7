"""Quantiles and windows."""

import pytest

from harness.protocols.rates import nearest_rank, p95_ttft_ms, prefill_s, windowed_tok_s
from tests.harness.protocols.streams import stream


def test_the_quantile_is_one_of_the_values() -> None:
    values = [float(value) for value in range(1, 101)]
    assert nearest_rank(values, 0.95) == 95
    assert nearest_rank(values[:19], 0.95) == 19  # with fewer than 20 the longest
    assert nearest_rank([3.0], 0.95) == 3
    with pytest.raises(ValueError, match="at least one"):
        nearest_rank([], 0.95)


def test_times_of_requests_that_ran_together() -> None:
    records = [stream(0.0, 1.0), stream(0.5, 3.0)]
    assert p95_ttft_ms(records) == pytest.approx(2500)
    assert prefill_s(records) == pytest.approx(3.0)


def test_a_window_counts_what_falls_into_it() -> None:
    one = stream(0.0, 1.0, 0.1, 21)  # 1.0 to 3.0
    assert windowed_tok_s([one], 1.95, 2.95) == pytest.approx(10)
    assert windowed_tok_s([one], 2.8, 3.0) is None  # two tokens of twenty are no rate
