"""The levels of the looks, found on the statistic itself."""

import numpy as np
import pytest
from scipy import special

from harness.planning.boundaries import nominal_levels
from harness.planning.looks import spent_by
from harness.verdicts import calibration
from harness.verdicts.calibration import levels_at, null_arms, plan_looks


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calibration, "RUNS", 20_000)


def test_one_look_has_students_own_level() -> None:
    """With one look the statistic is Student's but for the check before pooling, so its level is nearly the level."""
    assert levels_at(null_arms((6,), 2, 0.05), (6,), 0.05)[0] == pytest.approx(0.05, rel=0.06)


def test_null_arms_cross_as_often_as_is_spent_by_each_look() -> None:
    blocks = (2, 4, 6)
    nulls = null_arms(blocks, 2, 0.1)
    levels = np.array(levels_at(nulls, blocks, 0.1))
    crossed = (nulls.student <= levels[:, np.newaxis]).cumsum(axis=0) > 0
    planned = [spent_by(number, 6, 0.1) for number in blocks]
    assert crossed.mean(axis=1) == pytest.approx(planned, abs=0.004)


def test_the_tails_are_those_of_student_and_of_the_normal_law() -> None:
    nulls = null_arms((2, 5), 1, 0.2)
    assert ((nulls.normal <= 0.2001) | (nulls.normal == 1)).all(), "what no bound uses is left out"
    assert (nulls.normal <= 0.01).mean(axis=1) == pytest.approx([0.01, 0.01], abs=0.002)
    assert (nulls.student[1] <= 0.05).mean() == pytest.approx(0.05, abs=0.005)


def test_many_degrees_of_freedom_have_nearly_the_levels_of_normal_theory() -> None:
    blocks = (60, 120)
    found = levels_at(null_arms(blocks, 1, 0.2), blocks, 0.2)
    normal = nominal_levels([0.5, 1.0], [spent_by(number, 120, 0.2) for number in blocks])
    assert special.ndtri(np.array(found)) == pytest.approx(special.ndtri(np.array(normal)), abs=0.05)


def test_a_plan_has_levels_for_each_number_of_arms_and_is_the_same_every_time() -> None:
    looks = plan_looks(8, 3, 0.05, confirmed=2, arms=4)
    assert looks == plan_looks(8, 3, 0.05, confirmed=2, arms=4)
    assert [look.blocks for look in looks] == [3, 6, 8]
    assert all(len(look.levels) == 4 and list(look.levels) == sorted(look.levels, reverse=True) for look in looks)
    assert all(look.levels[0] < 0.05 and look.futility is not None for look in looks)
