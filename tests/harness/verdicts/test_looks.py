"""One look: bounds at the look's level, shares that pass on, and giving up."""

import numpy as np
import pytest
from scipy import special

from harness.verdicts.layout import Fit
from harness.verdicts.looks import Rule, bounds_at, decide
from ledger.entries import Look

LOOK = Look(blocks=6, levels=(0.02, 0.01, 0.005), futility=0.05)
RULE = Rule(smallest_effect_pct=1.0, planned_effect_pct=3.0, lower_is_better=False)


def fitted(*ratios: float, freedom: int = 10) -> Fit:
    """Arms whose t statistics are `ratios`, each launch spreading 2 %."""
    sd = np.full(len(ratios), 0.02)
    return Fit(
        estimate=np.array(ratios) * 0.02 * 0.5,
        launch_sd=sd,
        freedom=np.full(len(ratios), freedom),
        pooled=np.array(True),
        placebo=np.array(0.0),
        placebo_sd=np.array(0.02),
        placebo_freedom=np.array(freedom),
        blocks=6,
    )  # fmt: skip  (standard error = 0.02 * sqrt(1.5 / 6) = 0.01)


def critical(level: float, freedom: int = 10) -> float:
    """Student quantile."""
    return -float(special.stdtrit(freedom, level))


def test_bounds_are_students_at_the_level_of_the_look() -> None:
    bounds = bounds_at(fitted(3.0), np.array([0.01]))
    assert bounds.low[0] == pytest.approx(0.03 - 0.01 * critical(0.01))
    assert bounds.high[0] == pytest.approx(0.03 + 0.01 * critical(0.01))


def test_an_arm_that_is_faster_passes_its_share_on_in_the_same_look() -> None:
    between = (critical(0.02) + critical(0.01)) / 2
    alone = decide(fitted(between, between), LOOK, RULE, np.array(2))
    assert list(alone.words) == ["AMBIGUOUS"] * 2 and int(alone.sharing) == 2
    helped = decide(fitted(6.0, between), LOOK, RULE, np.array(2))
    assert list(helped.words) == ["FASTER", "FASTER"] and list(helped.nominal) == [0.01, 0.02]
    assert list(helped.of_arm) == [2, 1], "the first keeps the level that it was found at"


def test_a_slower_arm_and_a_planted_control_pass_nothing_on() -> None:
    between = (critical(0.02) + critical(0.01)) / 2
    said = decide(fitted(-6.0, between), LOOK, RULE, np.array(2))
    assert list(said.words) == ["SLOWER", "AMBIGUOUS"] and int(said.sharing) == 2
    planted = decide(fitted(6.0, between, between), LOOK, RULE, np.array(2), np.array([False, True, True]))
    assert list(planted.words) == ["FASTER", "AMBIGUOUS", "AMBIGUOUS"] and int(planted.sharing) == 2


def test_giving_up_asks_whether_the_planned_gain_is_out_of_reach() -> None:
    edge = (np.log1p(0.03) - 0.01 * critical(0.05)) / 0.01
    said = decide(fitted(edge - 0.01, edge + 0.01), LOOK, RULE, np.array(2))
    assert list(said.futile) == [True, False]
    never = decide(fitted(edge - 0.01), LOOK, Rule(1.0, None, False), np.array(1))
    assert not never.futile.any()


def test_where_less_is_better_everything_is_mirrored() -> None:
    rule = Rule(1.0, 3.0, lower_is_better=True)
    said = decide(fitted(-6.0, 6.0), LOOK, rule, np.array(2))
    assert list(said.words) == ["FASTER", "SLOWER"] and int(said.sharing) == 1
    assert list(said.futile) == [False, True]


def test_many_runs_at_once_are_judged_as_one_by_one() -> None:
    generator = np.random.default_rng(5)
    rows = generator.normal(0, 3, (40, 3))
    many = [decide(fitted(*row), LOOK, RULE, np.array(3)) for row in rows]
    stacked = fitted(*rows[0])
    together = decide(
        Fit(
            estimate=rows * 0.01, launch_sd=np.full(rows.shape, 0.02), freedom=np.full(rows.shape, 10),
            pooled=np.full(40, True), placebo=np.zeros(40), placebo_sd=stacked.placebo_sd,
            placebo_freedom=stacked.placebo_freedom, blocks=6,
        ), LOOK, RULE, np.full(40, 3),
    )  # fmt: skip
    assert together.words.tolist() == [one.words.tolist() for one in many]
    assert together.nominal.tolist() == [one.nominal.tolist() for one in many]
