"""Means and sums of squares: by hand, in parts, and drawn at once."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.verdicts.moments import drawn, moments


def test_a_layout_worked_by_hand() -> None:
    seen = moments(np.array([[1.0, 2.0], [3.0, 8.0]]))
    assert seen.blocks == seen.treatments == 2
    assert seen.mean.tolist() == [-1.5, 1.5]
    assert seen.scatter.tolist() == [[2.0, -2.0], [-2.0, 2.0]] and seen.squares.tolist() == [2.0, 2.0]
    ratio = np.array([[-1.0], [1.0]])
    assert seen.of(ratio).tolist() == [3.0] and seen.variance_of(ratio).tolist() == [8.0], "1 and 5"


@given(first=st.integers(1, 5), then=st.integers(1, 5), treatments=st.integers(2, 6), seed=st.integers(0, 10**6))
def test_parts_of_a_run_add_up_to_the_whole(first: int, then: int, treatments: int, seed: int) -> None:
    logs = np.random.default_rng(seed).normal(3, 0.5, (2, first + then, treatments))
    whole, parts = moments(logs), moments(logs[:, :first]) + moments(logs[:, first:])
    assert parts.blocks == whole.blocks
    assert parts.mean == pytest.approx(whole.mean, abs=1e-12)
    assert parts.scatter == pytest.approx(whole.scatter, abs=1e-11)


@pytest.mark.parametrize("blocks", [7, 8])
def test_what_is_drawn_at_once_is_spread_like_what_is_drawn_launch_by_launch(blocks: int) -> None:
    """Treatments: 3, so 7 blocks are drawn as a Wishart matrix. Known: launches' sd 1, less the block's mean."""
    generator = np.random.default_rng(blocks)
    whole = drawn(blocks, 3, 40_000, generator)
    part = moments(generator.standard_normal((40_000, blocks, 3)))
    for seen in (whole, part):
        assert seen.mean.sum(axis=1) == pytest.approx(0, abs=1e-12)
        assert seen.mean.var(axis=0) == pytest.approx(np.full(3, 2 / 3 / blocks), rel=0.04)
        assert seen.scatter.mean(axis=0) == pytest.approx((np.eye(3) - 1 / 3) * (blocks - 1), abs=0.09)
    for moment in (2, 3):
        assert (whole.squares**moment).mean() == pytest.approx((part.squares**moment).mean(), rel=0.06)
    products = [float((seen.scatter[:, 0, 1] * seen.scatter[:, 1, 2]).mean()) for seen in (whole, part)]
    assert products[0] == pytest.approx(products[1], rel=0.1)
