"""What arms that have left still say about the spread, and that they say nothing else."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.verdicts import assemble
from harness.verdicts.departures import departures
from harness.verdicts.layout import NOTHING, carried, fit
from harness.verdicts.moments import moments
from tests.harness.verdicts.played import Play, asking


def squares(logs: np.ndarray) -> float:
    """Sum of squared residuals."""
    return float(moments(logs).squares.sum())


@given(blocks=st.integers(2, 6), arms=st.integers(1, 4), seed=st.integers(0, 10**6), level=st.floats(-9, 9))
def test_what_stays_and_what_is_left_behind_are_the_whole(blocks: int, arms: int, seed: int, level: float) -> None:
    logs = np.random.default_rng(seed).normal(level, 0.01, (blocks, arms + 2))
    staying = list(range(2 + seed % (arms + 1)))
    left = carried(logs, staying)
    if int(left.freedom) or len(staying) == arms + 2:
        assert float(left.squares) + squares(logs[:, staying]) == pytest.approx(squares(logs), abs=1e-12)
        assert int(left.freedom) + (blocks - 1) * (len(staying) - 1) == (blocks - 1) * (arms + 1)
    else:
        assert float(left.squares) == 0, "nothing is carried from a look that may not pool"


def test_the_estimate_is_the_stayers_own_and_the_spread_is_everybodys() -> None:
    logs = np.random.default_rng(0).normal(0, 0.02, (9, 6))
    staying = [0, 1, 5]
    left = carried(logs[:4], staying)
    alone, helped = fit(logs[:, staying]), fit(logs[:, staying], left=left)
    assert helped.estimate == pytest.approx(alone.estimate) and float(helped.placebo) == float(alone.placebo)
    assert alone.freedom.tolist() == [16] and helped.freedom.tolist() == [16 + 9]
    pooled = (squares(logs[:, staying]) + squares(logs[:4]) - squares(logs[:4, staying])) / 25
    assert helped.launch_sd == pytest.approx([pooled**0.5])
    assert int(helped.placebo_freedom) == 25
    assert fit(logs, left=NOTHING).freedom.tolist() == fit(logs).freedom.tolist()


def test_the_spread_with_what_was_left_behind_has_its_mean_and_its_degrees_of_freedom() -> None:
    """Chi-square with 6 + 9 degrees of freedom: mean 1, variance 2 / 15; and independent of the estimate."""
    logs = np.random.default_rng(3).normal(size=(40_000, 4, 6))
    staying = [0, 1, 5]
    left = carried(logs[:, :4], staying)
    sure = left.freedom == 9
    variance = (left.squares + moments(logs[..., staying]).squares.sum(axis=1))[sure] / 15
    assert sure.mean() > 0.8
    assert variance.mean() == pytest.approx(1.0, abs=0.02)
    assert variance.var() == pytest.approx(2 / 15, rel=0.15)
    estimate = (logs[..., 5] - logs[..., :2].mean(axis=-1)).mean(axis=-1)[sure]
    assert abs(np.corrcoef(variance, estimate)[0, 1]) < 0.02


def test_a_noisy_look_carries_nothing() -> None:
    logs = np.random.default_rng(4).normal(size=(6, 4)) * np.array([1, 1, 1, 50.0])
    left = carried(logs, [0, 1, 2])
    assert int(left.freedom) == 0 and float(left.squares) == 0.0


def test_an_arm_that_was_given_up_still_counts_for_the_spread_of_the_one_that_goes_on() -> None:
    generator = np.random.default_rng(3)
    noise = generator.normal(0, 0.01, (10, 4))
    values = np.exp(4.6 + noise + np.array([0, 0, 0.02, -0.05]))
    names = ("baseline", "placebo", "slow-to-tell", "bad")
    criteria = asking(blocks=10, level=0.01, looks={"count": 3, "planned_effect_pct": 3})
    played = Play(dict(zip(names, values.T.tolist(), strict=True)), criteria)
    state = played.to_the_end()
    by_name = {played.arms[arm].name: stop for arm, stop in state.stops.items()}
    first, last = by_name["bad"].look, by_name["slow-to-tell"].look
    assert first == 1 and last is not None and last > 1
    (gone,) = departures(state.stops, last)
    assert len(gone.together) == 2 and len(gone.staying) == 1 and gone.blocks == (0, 1, 2, 3)
    assert departures(state.stops, 1) == ()
    said = {v.arm_name: v for v in assemble(played.run, criteria, played.arms, played.evidence, 1.0).verdicts}
    interval = said["slow-to-tell"].interval
    assert interval is not None and interval.pooled
    blocks = len(by_name["slow-to-tell"].blocks)
    assert interval.degrees_of_freedom == 2 * (blocks - 1) + 3
