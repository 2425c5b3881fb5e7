"""What a plan promises before the start, against long simulations without drift inside blocks and voids."""

import math

import pytest

from harness.planning.looks import last_look_only
from harness.planning.power import visible_effect_pct
from harness.verdicts.calibration import plan_looks
from harness.verdicts.expectation import expectation
from harness.verdicts.looks import Rule


def test_the_promise_is_what_simulated_runs_come_to() -> None:
    seen = expectation(plan_looks(6, 5, 0.01, 1), Rule(1.0, 3.0, False), 1.0, 1)
    assert seen.power == pytest.approx(0.935, abs=0.015) and seen.most == 6
    assert seen.planned == pytest.approx(3.9, rel=0.04) and seen.null == pytest.approx(2.9, rel=0.04)


def test_one_look_has_the_power_of_the_fixed_design() -> None:
    effect = visible_effect_pct(5, 8, 2, 0.05)
    seen = expectation(last_look_only(8, 0.05, 2), Rule(0.1, effect, False), 5, 2)
    assert seen.power == pytest.approx(0.9, abs=0.015) and seen.planned == seen.null == 8


def test_less_is_better_is_mirrored() -> None:
    looks = last_look_only(4, 0.05, 1)
    more, less = (expectation(looks, Rule(1.0, 8.0, lower), 3, 1) for lower in (False, True))
    assert more.power == pytest.approx(less.power, abs=0.02)


@pytest.mark.parametrize("spread", [0.0, -1.0, math.nan, math.inf])
def test_no_spread_has_no_expectation(spread: float) -> None:
    with pytest.raises(ValueError, match="above 0 percent"):
        expectation(last_look_only(4, 0.05, 1), Rule(1.0, 3.0, False), spread, 1)
