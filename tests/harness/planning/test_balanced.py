"""Balanced orders: every treatment everywhere equally often, and a screen that goes up and down."""

from collections import Counter

from harness.planning.balanced import balanced_slots, screen_slots
from harness.vocabulary.outcome import Role

ARMS = tuple(f"{number:064x}" for number in (3, 1, 2))


def test_in_each_run_of_blocks_every_treatment_has_every_position_once() -> None:
    slots = balanced_slots(ARMS, 10, seed=7)
    for start in (0, 5):
        inside = [slot for slot in slots if start <= slot.block < start + 5]
        places = Counter((slot.position, slot.role, slot.arm) for slot in inside)
        assert len(places) == 25 and set(places.values()) == {1}


def test_each_block_holds_each_treatment_once_also_in_a_broken_square() -> None:
    for block in range(7):
        inside = [slot for slot in balanced_slots(ARMS, 7, seed=1, first_block=2) if slot.block == block + 2]
        assert sorted(slot.position for slot in inside) == list(range(5))
        assert {(slot.role, slot.arm) for slot in inside} == {
            ("baseline", None), ("placebo", None), *(("arm", arm) for arm in ARMS),
        }  # fmt: skip


def test_the_order_in_which_arms_are_named_does_not_matter_and_the_seed_does() -> None:
    assert balanced_slots(ARMS, 6, 3) == balanced_slots(ARMS[::-1], 6, 3) != balanced_slots(ARMS, 6, 4)


def test_a_screen_launches_the_first_named_first_and_goes_back() -> None:
    slots = screen_slots(ARMS, 2)
    forth, back = [[slot.arm for slot in slots if slot.block == block] for block in (0, 1)]
    assert forth == [None, *ARMS, None] and back == forth[::-1]
    assert [slots[0].role, slots[4].role, slots[5].role] == [Role.BASELINE, Role.PLACEBO, Role.PLACEBO]
