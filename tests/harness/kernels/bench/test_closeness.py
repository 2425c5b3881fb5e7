"""Outputs against references: masks exactly, bounds that no NaN passes, the worst element with its place."""

import numpy as np
import pytest

from harness.kernels.bench.closeness import Closeness, compare

REFERENCE = np.array([[3.0, -4.0], [0.0, 5.0]])


def test_norm_ratio_and_worst_element_have_their_values() -> None:
    output = REFERENCE.astype(np.float32)
    output[1, 0] = 0.5
    found = compare(output, REFERENCE)
    rms = np.sqrt(50 / 4)
    assert found.norm == pytest.approx(0.5 / np.sqrt(50))
    assert found.worst == pytest.approx(0.5 / rms)
    assert found.place == (1, 0)
    assert found.sentence("y") == "y[1, 0] is 0.5, the reference says 0; norm ratio 0.0707, worst element 0.141"
    assert found.within(0.08, 0.15)
    assert not found.within(0.08, 0.14)
    assert not found.within(0.07, 0.15)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_must_be_so_in_both(value: float) -> None:
    with_value = REFERENCE.copy()
    with_value[0, 1] = value
    for got, expected in ((with_value, REFERENCE), (REFERENCE, with_value)):
        found = compare(got, expected)
        assert not found.finite_alike
        assert found.place == (0, 1)
        assert not found.within(1e9, 1e9)
    same = compare(with_value, with_value)
    assert same.within(0, 0)
    assert same.norm == 0


def test_infinities_of_either_sign_are_not_alike() -> None:
    assert not compare(np.array([np.inf, 1.0]), np.array([-np.inf, 1.0])).finite_alike


def test_no_bound_is_passed_by_a_nan() -> None:
    assert not Closeness(True, float("nan"), 0.0, (0,), 0.0, 0.0).within(1.0, 1.0)
    assert not Closeness(True, 0.0, float("nan"), (0,), 0.0, 0.0).within(1.0, 1.0)


def test_a_reference_of_zeros_allows_no_error() -> None:
    assert compare(np.zeros(3), np.zeros(3)).within(0, 0)
    assert not compare(np.array([0.0, 1e-9, 0.0]), np.zeros(3)).within(1, 1)


def test_another_shape_is_a_bug() -> None:
    with pytest.raises(ValueError, match=r"of shape \(2,\) cannot be compared"):
        compare(np.zeros(2), np.zeros(3))
