"""The looks of a plan: where they are, what giving up costs, and what the plan needs on average."""

import pytest

from harness.planning.looks import (
    INFLATION,
    last_look_only,
    look_blocks,
    most_blocks_needed,
    spent_by,
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


@pytest.mark.parametrize(("spread", "most"), [(1.0, 6), (4.7, 65), (8.0, 186)])
def test_a_plan_with_looks_has_at_most_thirteen_tenths_of_the_fixed_designs_blocks(spread: float, most: int) -> None:
    fixed = blocks_needed(3, spread, 1, 0.01)
    assert fixed is not None and most_blocks_needed(3, spread, 1, 0.01) == most <= 1.3 * fixed
    assert most == pytest.approx(INFLATION * fixed, abs=0.5)


def test_an_effect_that_is_lost_in_the_spread_has_no_number_of_blocks() -> None:
    assert most_blocks_needed(0.001, 30, 1, 0.01) is None


@pytest.mark.parametrize("most", [2, 3, 6, 7, 65])
def test_the_level_is_spent_rising_and_whole_by_the_last_block(most: int) -> None:
    spent = [spent_by(blocks, most, 0.01) for blocks in range(2, most + 1)]
    assert spent[-1] == 0.01 and sorted(set(spent)) == spent and spent[0] > 0


def test_a_plan_of_few_blocks_spends_more_early_and_next_to_nothing_at_two() -> None:
    assert spent_by(2, 6, 1.0) == pytest.approx(0.03)
    assert spent_by(3, 6, 1.0) == pytest.approx(0.03 + 0.97 * 0.25**0.5)
    assert spent_by(3, 7, 1.0) == pytest.approx(0.03 + 0.97 * 0.2**1.3)
