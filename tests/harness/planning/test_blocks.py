"""The order of launches."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.planning import slots

ARMS = ["b" * 64, "a" * 64, "c" * 64]
PINNED = ["aa", "b", "ac", "p", "ab", "b", "p", "ac", "ab", "aa"]  # b, p: baseline, placebo; aX: arm X


def test_one_order_is_pinned_so_that_a_numpy_that_permutes_differently_is_noticed() -> None:
    plan = slots(ARMS, blocks=2, seed=7)
    shown = [(slot.role[0] + (slot.arm[0] if slot.arm else "")) for slot in plan]
    assert shown == PINNED


@given(blocks=st.integers(2, 12), seed=st.integers(0, 2**63), arms=st.sets(st.integers(0, 99), min_size=1, max_size=8))
def test_every_block_holds_every_treatment_once_whatever_the_order_of_naming(
    blocks: int, seed: int, arms: set[int]
) -> None:
    named = [f"{one:064x}" for one in arms]
    plan = slots(named, blocks, seed)
    assert plan == slots(list(reversed(named)), blocks, seed)
    assert [(slot.block, slot.position) for slot in plan] == [
        (block, position) for block in range(blocks) for position in range(len(named) + 2)
    ]
    for block in range(blocks):
        inside = {(slot.role, slot.arm) for slot in plan if slot.block == block}
        assert inside == {("baseline", None), ("placebo", None), *(("arm", one) for one in named)}


def test_each_treatment_comes_first_about_equally_often() -> None:
    plan = slots(ARMS, blocks=2000, seed=1)
    first = [slot.role for slot in plan if slot.position == 0]
    assert 300 < first.count("baseline") < 500 and 300 < first.count("placebo") < 500


@pytest.mark.parametrize(
    ("arms", "blocks", "seed", "words"),
    [
        ([], 4, 1, "needs at least one arm"),
        ([ARMS[0], ARMS[0]], 4, 1, "named twice"),
        (ARMS, 1, 1, "at least 2 blocks, not 1"),
        (ARMS, 4, -1, "0 or more, not -1"),
    ],
)
def test_a_plan_that_cannot_be_is_refused(arms: list[str], blocks: int, seed: int, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        slots(arms, blocks, seed)
