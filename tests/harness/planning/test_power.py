"""What a plan can see, against simulated figures and against scipy's own noncentral t."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from harness.planning import Design, blocks_needed, visible_effect_pct
from harness.planning.power import MOST_BLOCKS, blocks_for_margin, standard_error


@pytest.mark.parametrize(("sd", "own", "pooled", "planned"), [(1.0, 6, 4, 5), (4.7, 53, 51, 51), (8.0, 146, 145, 145)])
def test_blocks_for_three_percent_at_one_percent_level(sd: float, own: int, pooled: int, planned: int) -> None:
    """The figures 6, 53 and 146 were found by simulation for an arm's own variance, control the mean of two."""
    assert blocks_needed(3, sd, arms=1, level=0.01, pooled=False) == own
    assert blocks_needed(3, sd, arms=1, level=0.01, pooled=True) == pooled
    assert blocks_needed(3, sd, arms=1, level=0.01) == planned


@pytest.mark.parametrize("pooled", [True, False])
def test_the_visible_effect_is_seen_with_just_the_power_that_it_promises(pooled: bool) -> None:
    design = Design(arms=4, level=0.05, pooled=pooled)
    seen = visible_effect_pct(5, blocks=4, arms=4, level=0.05, pooled=pooled)
    shift = math.log1p(seen / 100) / standard_error(0.05, 4)
    freedom = design.degrees_of_freedom(4, pooled)
    assert freedom == (15 if pooled else 3)
    assert stats.nct.sf(design.critical(4, pooled), freedom, shift) == pytest.approx(0.9, abs=1e-5)


def test_before_the_run_the_power_counts_both_endings_of_the_pooling_check() -> None:
    design = Design(arms=4, level=0.05)
    shift = math.log1p(visible_effect_pct(5, blocks=4, arms=4, level=0.05) / 100) / standard_error(0.05, 4)
    power = {
        pooled: stats.nct.sf(design.critical(4, pooled), design.degrees_of_freedom(4, pooled), shift)
        for pooled in (True, False)
    }
    assert power[False] < 0.9 < power[True]
    refused = 0.25 * 4 / 6  # four of six treatments are tested
    assert (1 - refused) * power[True] + refused * power[False] == pytest.approx(0.9, abs=1e-5)


@given(effect=st.floats(0.5, 50), sd=st.floats(0.5, 15), arms=st.integers(1, 6), level=st.floats(0.001, 0.2))
def test_blocks_needed_and_visible_effect_answer_each_other(effect: float, sd: float, arms: int, level: float) -> None:
    blocks = blocks_needed(effect, sd, arms, level)
    if blocks is None:
        assert visible_effect_pct(sd, MOST_BLOCKS, arms, level) > effect
        return
    assert visible_effect_pct(sd, blocks, arms, level) <= effect * (1 + 1e-9)
    if blocks > 2:
        assert visible_effect_pct(sd, blocks - 1, arms, level) > effect * (1 - 1e-9)


def test_the_level_is_divided_over_the_arms() -> None:
    alone = Design(arms=1, level=0.01).critical(4, pooled=False)
    assert Design(arms=5, level=0.05).critical(4, pooled=False) == pytest.approx(alone)
    assert alone == pytest.approx(stats.t.isf(0.01, 3))


@given(blocks=st.integers(2, 5), arms=st.integers(1, 8), level=st.floats(1e-4, 0.2))
def test_small_plans_with_strict_levels_have_a_visible_effect(blocks: int, arms: int, level: float) -> None:
    """Two blocks and one degree of freedom: scipy's distribution function underflows to NaN on the way."""
    seen = [visible_effect_pct(1, blocks, arms, level, pooled=pooled) for pooled in (True, None, False)]
    assert 0 < seen[0] <= seen[1] * (1 + 1e-9) and seen[1] <= seen[2] * (1 + 1e-9)


def test_more_than_anybody_measures_is_none() -> None:
    assert blocks_needed(0.1, 50, arms=1, level=0.01) is None
    assert blocks_for_margin(0.0, 0.01, Design(1, 0.05)) is None


def test_no_spread_sees_everything() -> None:
    assert visible_effect_pct(0, blocks=4, arms=1, level=0.05) == 0
    assert blocks_needed(1, 0, arms=1, level=0.05) == 2


@pytest.mark.parametrize("bad", [-1.0, math.nan, math.inf])
def test_a_spread_that_is_none_is_refused(bad: float) -> None:
    with pytest.raises(ValueError, match="spread between launches must be 0 percent or more"):
        visible_effect_pct(bad, 4, 1, 0.05)
    with pytest.raises(ValueError, match="spread between launches must be 0 percent or more"):
        blocks_needed(3, bad, 1, 0.05)


@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan, math.inf])
def test_an_effect_that_is_none_is_refused(bad: float) -> None:
    with pytest.raises(ValueError, match="effect must be above 0"):
        blocks_needed(bad, 1, 1, 0.05)


def test_one_block_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 2 blocks, not 1"):
        visible_effect_pct(1, 1, 1, 0.05)


@pytest.mark.parametrize(
    ("arms", "level", "power", "words"),
    [(0, 0.05, 0.9, "at least one arm"), (1, 0.5, 0.9, "level must lie"), (1, math.nan, 0.9, "level must lie"),
     (1, 0.05, 1.0, "power must lie"), (1, 0.05, 0.01, "power must lie")],
)  # fmt: skip
def test_a_design_that_cannot_be_is_refused(arms: int, level: float, power: float, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Design(arms, level, power)
