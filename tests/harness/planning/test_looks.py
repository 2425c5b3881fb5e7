"""The looks of a plan: where they are, what giving up costs, and what the plan needs on average."""

import pytest

from harness.planning.looks import (
    INFLATION,
    expectation,
    futility_levels,
    last_look_only,
    look_blocks,
    most_blocks_needed,
)
from harness.planning.power import blocks_needed
from ledger.entries import Look


@pytest.mark.parametrize(
    ("most", "count", "at"),
    [
        (6, 5, (2, 3, 4, 5, 6)),
        (7, 5, (2, 3, 5, 6, 7)),
        (65, 5, (13, 26, 39, 52, 65)),
        (10, 3, (4, 7, 10)),
        (9, 1, (9,)),
        (11, 10, tuple(range(2, 12))),
    ],
)
def test_looks_are_spread_evenly_and_none_comes_before_two_blocks(most: int, count: int, at: tuple[int, ...]) -> None:
    assert look_blocks(most, count) == at


def test_more_looks_than_blocks_are_refused() -> None:
    with pytest.raises(ValueError, match="5 looks do not fit into 5 blocks"):
        look_blocks(5, 5)


def test_one_look_keeps_the_whole_level_for_each_number_of_arms() -> None:
    assert last_look_only(8, 0.06, 3) == (Look(blocks=8, levels=(0.06, 0.03, 0.02)),)


def test_a_plan_with_looks_needs_a_quarter_more_blocks_at_most() -> None:
    for spread in (1.0, 4.7, 8.0):
        fixed = blocks_needed(3, spread, 1, 0.01)
        most = most_blocks_needed(3, spread, 1, 0.01)
        assert fixed is not None and most is not None and most <= 1.3 * fixed and most == round(INFLATION * fixed)
    assert most_blocks_needed(0.001, 30, 1, 0.01) is None


def test_the_expected_blocks_are_those_of_the_theory() -> None:
    levels = (0.0000806, 0.000755, 0.00207, 0.00381, 0.00581)  # Wang-Tsiatis 0.25 at 0.0085, five looks
    blocks = look_blocks(65, 5)
    looks = [
        Look(blocks=at, levels=(level,), futility=given_up)
        for at, level, given_up in zip(blocks, levels, futility_levels(blocks), strict=True)
    ]
    seen = expectation(looks, 3, 4.7, 1)
    assert seen.most == 65 and seen.null < 0.6 * 52 and seen.planned < 0.8 * 52
    assert seen.power == pytest.approx(0.91, abs=0.02)
    with pytest.raises(ValueError, match="above 0 percent"):
        expectation(looks, 3, 0, 1)
