"""Samples of a Prometheus text; whatever else stands there is passed over or named, and nothing raises."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.adapters.exposition import Exposition, exposition


def test_samples_are_summed_over_labels_and_only_finite_ones_count() -> None:
    text = 'a{x="1"} 2\na{x="}"} 3.5 1700000000\r\n# HELP a 9\nb +Inf\nc NaN\nd 1e3\nnot a sample\ne\t.5\n'
    assert exposition(text) == Exposition({"a": 5.5, "d": 1000.0, "e": 0.5}, ("b", "c"))


@pytest.mark.parametrize(
    "value",
    ["-", "+", ".", "e", "1e", "1e999", "-1e999", "NaN", "nan", "Infinity", "1_000", "0x10", "١", "1,5", "--1", "true"],
)
def test_a_value_that_is_no_finite_number_is_named(value: str) -> None:
    assert exposition(f"foo {value}\nbar 1\n") == Exposition({"bar": 1.0}, ("foo",))
    assert exposition(f"foo 7\nfoo {value}\n") == Exposition({}, ("foo",))  # a part of a sum is no sum


@pytest.mark.parametrize(
    "text", ["", "\0", "foo", "foo{", "foo{ 1", "foo 1 2 3", "{} 1", "1 foo", "foo{}", "\ufffd" * 9]
)
def test_lines_that_are_no_samples_are_passed_over(text: str) -> None:
    assert exposition(text) == Exposition()


def test_sums_that_leave_the_numbers_and_endless_texts_end() -> None:
    assert exposition("a 1e308\na 1e308\n") == Exposition({}, ("a",))
    assert exposition("a{" * 2_000_000) == Exposition()
    assert exposition("a 1\n" * 100_001).values == {"a": 100_000.0}


PIECE = st.one_of(
    st.text(max_size=12),
    st.sampled_from(["foo ", "foo{a=", '"', "}", " ", "\n", "-", "NaN", "1e308", "-1e308", "1", ".", "\0", "#"]),
    st.floats().map(str),
    st.integers().map(str),
)


@settings(max_examples=100, deadline=None)
@given(st.lists(PIECE, max_size=30).map("".join))
def test_no_text_raises_and_what_is_read_is_finite(text: str) -> None:
    seen = exposition(text)
    assert all(math.isfinite(value) for value in seen.values.values())
    assert not set(seen.values) & set(seen.unread)
