"""The fit, against figures worked out another way, and what must not change it."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from harness.verdicts.layout import fit, logs_of

Array = NDArray[np.float64]


def layouts() -> st.SearchStrategy[Array]:
    shapes = st.tuples(st.integers(2, 6), st.integers(3, 6))
    return hnp.arrays(np.float64, shapes, elements=st.floats(0.5, 500, width=32)).map(np.log)


def close(left: Array, right: Array) -> bool:
    return bool(np.allclose(left, right, rtol=1e-7, atol=1e-9))


def test_estimate_and_pooled_spread_against_least_squares() -> None:
    logs = np.random.default_rng(5).normal(size=(4, 5))
    rows, columns = np.divmod(np.arange(20), 5)
    design = np.hstack([np.eye(4)[rows], np.eye(5)[columns][:, 1:]])
    _, squares, rank, _ = np.linalg.lstsq(design, logs.ravel(), rcond=None)
    fitted = fit(logs)
    assert bool(fitted.pooled) and fitted.blocks == 4
    assert fitted.freedom.tolist() == [20 - rank] * 3 == [12] * 3
    assert fitted.launch_sd == pytest.approx(math.sqrt(squares[0] / 12))
    control = logs[:, :2].mean()
    assert fitted.estimate == pytest.approx(logs[:, 2:].mean(axis=0) - control)
    assert float(fitted.placebo) == pytest.approx(logs[:, 1].mean() - logs[:, 0].mean())
    assert int(fitted.placebo_freedom) == 12


def test_without_pooling_each_arm_has_its_own_spread() -> None:
    logs = np.random.default_rng(6).normal(size=(4, 4)) * np.array([0.01, 0.01, 0.01, 1.0])
    fitted = fit(logs)
    ratios = logs[:, 3] - logs[:, :2].mean(axis=1)
    assert not bool(fitted.pooled)
    assert fitted.freedom.tolist() == [3, 3]
    assert fitted.launch_sd[1] == pytest.approx(ratios.std(ddof=1) / math.sqrt(1.5))
    assert float(fitted.placebo_sd) == pytest.approx((logs[:, 1] - logs[:, 0]).std(ddof=1) / math.sqrt(2))
    assert int(fitted.placebo_freedom) == 3


def test_many_runs_at_once_are_the_same_as_one_after_the_other() -> None:
    logs = np.random.default_rng(7).normal(size=(50, 4, 6))
    together = fit(logs)
    for index, one in enumerate(logs):
        alone = fit(one)
        assert close(alone.estimate, together.estimate[index]) and close(alone.launch_sd, together.launch_sd[index])
        assert bool(alone.pooled) == bool(together.pooled[index])
        assert alone.freedom.tolist() == together.freedom[index].tolist()


@given(layouts(), st.floats(-3, 3))
def test_another_unit_changes_nothing(logs: Array, log_unit: float) -> None:
    before, after = fit(logs), fit(logs + log_unit)
    assert close(before.estimate, after.estimate) and close(before.placebo, after.placebo)
    if bool(before.pooled) == bool(after.pooled):
        assert close(before.launch_sd, after.launch_sd)


@given(layouts(), st.data())
def test_a_block_that_is_slower_as_a_whole_changes_nothing(logs: Array, data: st.DataObject) -> None:
    drift = data.draw(hnp.arrays(np.float64, (logs.shape[0], 1), elements=st.floats(-2, 2)))
    before, after = fit(logs), fit(logs + drift)
    assert close(before.estimate, after.estimate) and close(before.placebo, after.placebo)
    if bool(before.pooled) == bool(after.pooled):
        assert close(before.launch_sd, after.launch_sd)


@given(layouts(), st.randoms(use_true_random=False))
def test_order_of_blocks_and_of_arms_changes_nothing(logs: Array, random: "np.random.Generator") -> None:
    blocks, arms = list(range(logs.shape[0])), list(range(2, logs.shape[1]))
    random.shuffle(blocks)
    random.shuffle(arms)
    before, after = fit(logs), fit(logs[blocks][:, [0, 1, *arms]])
    where = [arm - 2 for arm in arms]
    assert close(before.estimate[where], after.estimate)
    if bool(before.pooled) == bool(after.pooled):
        assert close(before.launch_sd[where], after.launch_sd)


@given(layouts())
def test_a_metric_turned_upside_down_turns_every_estimate(logs: Array) -> None:
    before, after = fit(logs), fit(-logs)
    assert close(before.estimate, -after.estimate) and close(before.launch_sd, after.launch_sd)


@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan, math.inf, -math.inf])
def test_a_value_that_cannot_be_compared_is_refused(bad: float) -> None:
    with pytest.raises(ValueError, match="only finite numbers above 0 can be compared"):
        logs_of(np.array([[1.0, 2.0], [bad, 3.0]]))


@pytest.mark.parametrize("shape", [(1, 4), (4, 1), (4,)])
def test_too_small_a_layout_is_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="at least 2 blocks with both controls"):
        fit(np.zeros(shape))
