"""Numbers, names and times as people read them."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from committee.report import words
from committee.report.cleaning import clean
from committee.report.phrases import counted, sentences
from committee.vocabulary.language import Language


@pytest.mark.parametrize(
    ("value", "shown"), [(44.649, "+44.6 %"), (-23.96, "−24.0 %"), (0.04, "0.0 %"), (-0.04, "0.0 %"), (0.0, "0.0 %")]
)
def test_a_change_shows_its_sign_and_never_a_negative_zero(value: float, shown: str) -> None:
    assert words.percent(value) == shown


def test_an_interval_says_its_unit_once() -> None:
    assert words.span(-1.04, 2.26) == "−1.0 to +2.3 %"


def test_a_written_number_stays_as_short_as_it_was_written() -> None:
    assert (words.exact(10.0), words.exact(2.5), words.exact(-3)) == ("10", "2.5", "−3")


def test_metrics_are_said_with_their_load() -> None:
    assert words.metric_words("total_tok_s", 4) == "total rate at 4 users"
    assert words.metric_words("ttft_ms", 1) == "time to first token at 1 user"
    assert words.metric_words("something_new", 2) == "something_new at 2 users"
    assert words.metric_words("cold_ttft_ms@4096", 2) == "cold time to first token of size 4096 at 2 users"
    assert (words.unit("cold_ttft_ms@4096"), words.unit("cost_ratio"), words.unit("something_new")) == ("ms", "", "")


def test_every_metric_of_the_bench_has_words_and_a_unit() -> None:
    from harness.vocabulary.outcome import Metric

    assert {metric.value for metric in Metric} == set(words.UNITS)
    assert {f"metric_{name}" for name in words.UNITS} <= set(sentences(Language.EN))


def test_times_are_cut_to_the_minute_and_keep_their_zone() -> None:
    assert words.minute("2026-08-04T21:05:59.123456Z") == "2026-08-04 21:05 UTC"
    assert words.minute("2026-08-04T21:05:59+02:00") == "2026-08-04 21:05"
    assert words.minute("about August") == "about August"


def test_durations_and_counts() -> None:
    assert (words.minutes(42.4), words.minutes(372.0)) == ("42 s", "6.2 min")
    assert (counted("launches", 1), counted("blocks", 3)) == ("1 launch", "3 blocks")


def test_large_values_lose_their_decimal() -> None:
    assert (words.quantity(81.24, "total_tok_s"), words.quantity(12345.6, "ttft_ms")) == ("81.2", "12346")


def test_control_and_direction_characters_become_visible() -> None:
    assert clean("a\x1b[31mb\u202ec\x00\ttab\nline") == "a\ufffd[31mb\ufffdc\ufffd\ttab\nline"
    assert clean("中文 stays, é too") == "中文 stays, é too"
    assert clean("a\u2028b\u2029c") == "a\ufffdb\ufffdc"


@given(st.text())
def test_cleaning_twice_changes_nothing_more(text: str) -> None:
    once = clean(text)
    assert clean(once) == once
    assert "\x1b" not in once


@given(st.floats(min_value=-0.9, max_value=3))
def test_a_log_ratio_and_its_percent_agree(change: float) -> None:
    assert words.change_pct(math.log1p(change)) == pytest.approx(100 * change, abs=1e-9)
