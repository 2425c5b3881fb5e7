"""The levels of the looks, found on the statistic itself."""

import numpy as np
import pytest

from harness.planning.boundaries import nominal_levels
from harness.verdicts import calibration
from harness.verdicts.calibration import heights, levels_at, plan_looks, shapes_of


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calibration, "MOST_LAUNCHES", 400_000)


def test_one_look_has_students_own_level() -> None:
    """With one look the statistic is Student's but for the check before pooling, so its level is nearly the level."""
    reached = heights((6,), 2)
    assert levels_at(reached, (6,), 0.05)[0] == pytest.approx(0.05, rel=0.1)


def test_a_share_of_the_level_crosses_somewhere() -> None:
    blocks = (2, 4, 6)
    reached = heights(blocks, 1)
    levels = levels_at(reached, blocks, 0.05)
    assert list(levels) == sorted(levels) and levels[-1] < 0.05 < sum(levels) * 2
    assert (reached > reached[int(0.95 * len(reached))]).mean() == pytest.approx(0.05, abs=0.001)


def test_few_blocks_are_stricter_than_normal_theory() -> None:
    blocks = (2, 3, 4, 5, 6)
    student = levels_at(heights(blocks, 1), blocks, 0.02)
    normal = nominal_levels([number / 6 for number in blocks], 0.02)
    assert student[-1] < 0.9 * normal[-1]


def test_a_plan_has_levels_for_each_number_of_arms_and_is_the_same_every_time() -> None:
    looks = plan_looks(8, 3, 0.05, confirmed=2, arms=4)
    assert looks == plan_looks(8, 3, 0.05, confirmed=2, arms=4)
    assert [look.blocks for look in looks] == [3, 6, 8]
    assert all(len(look.levels) == 4 and list(look.levels) == sorted(look.levels, reverse=True) for look in looks)
    assert all(look.levels[0] < 0.05 and look.futility is not None for look in looks)


def test_the_boundarys_shape_is_wang_and_tsiatis() -> None:
    assert shapes_of((2, 8)) == pytest.approx(np.array([0.25**-0.25, 1.0]))
