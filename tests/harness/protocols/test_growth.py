"""Growth after the plateau, with an interval that holds what is true."""

import random

import pytest

from harness.protocols.base import ProcessUse
from harness.protocols.growth import Look, growth, slope


def looks(memory: list[float], every_s: float = 60.0) -> list[Look]:
    return [
        Look(index * every_s, (ProcessUse(7, "worker", mib, 40), ProcessUse(8, "parent", 10.0, 40 + index)))
        for index, mib in enumerate(memory)
    ]


def test_a_straight_line_is_its_own_slope() -> None:
    found = slope([60.0 * index for index in range(60)], [2.0 * index for index in range(60)])  # 2 MiB a minute
    assert found is not None
    assert (found.per_h, found.low, found.high) == pytest.approx((120, 120, 120))


def test_too_few_looks_have_no_slope() -> None:
    assert slope([float(index) for index in range(19)], [1.0] * 19) is None
    assert slope([5.0] * 20, [1.0] * 20) is None
    assert growth([], 0.25) == () and growth(looks([1.0]), 0.25) == ()


def test_the_way_to_the_plateau_does_not_count() -> None:
    found = growth(looks([min(100.0, 4.0 * index) for index in range(101)]), 0.25)  # 100 MiB at a quarter
    worker = next(one for one in found if one.pid == 7)
    assert worker.memory_mib_h.per_h == pytest.approx(0, abs=1e-9)
    parent = next(one for one in found if one.pid == 8)
    assert parent.descriptors_h.per_h == pytest.approx(60)
    assert "+60.0 descriptors an hour" in parent.sentence
    early = growth(looks([min(100.0, 4.0 * index) for index in range(101)]), 0.0)
    assert next(one for one in early if one.pid == 7).memory_mib_h.per_h > 30  # what is left out


def test_a_process_that_was_not_there_all_the_time_is_left_out() -> None:
    seen = looks([1.0] * 30)
    seen[25] = Look(seen[25].at, seen[25].uses[1:])
    assert [one.pid for one in growth(seen, 0.25)] == [8]


def test_the_interval_holds_the_truth_as_often_as_it_says() -> None:
    """1,000 noisy soaks that grow by 30 MiB an hour: about ten intervals of 99 % miss it; 25 would be odd."""
    chosen, missed = random.Random(5), 0  # noqa: S311 - noise, not a secret
    for _ in range(1000):
        times = [60.0 * index for index in range(40)]
        found = slope(times, [0.5 * index + chosen.gauss(0, 3) for index in range(40)])
        assert found is not None
        missed += not found.low <= 30 <= found.high
    assert 1 <= missed <= 25
