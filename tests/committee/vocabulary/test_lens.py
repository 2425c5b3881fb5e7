"""Lenses are dealt out by the order of the file, the same on every run."""

from committee.vocabulary.lens import Lens, assigned

MEMORY, NUMERICS, SCHEDULING = Lens.MEMORY_TRAFFIC, Lens.NUMERICS, Lens.SCHEDULING


def test_they_go_round_and_round() -> None:
    assert assigned([None] * 4, [MEMORY, NUMERICS, SCHEDULING]) == (MEMORY, NUMERICS, SCHEDULING, MEMORY)


def test_a_lens_of_its_own_stays_and_takes_no_turn() -> None:
    assert assigned([None, SCHEDULING, None], [MEMORY, NUMERICS]) == (MEMORY, SCHEDULING, NUMERICS)


def test_without_a_list_nobody_gets_one() -> None:
    assert assigned([None, NUMERICS], []) == (None, NUMERICS)
