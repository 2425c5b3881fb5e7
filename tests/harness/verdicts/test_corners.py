"""What a verdict must never do, whatever the numbers: corners of the fixed design and of runs with looks."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from harness.verdicts import assemble
from harness.verdicts.measured import Measured, Question, weigh
from harness.vocabulary.outcome import Speed
from tests.harness.verdicts.played import Play, asking

RANK = {Speed.SLOWER: 0, Speed.AMBIGUOUS: 1, Speed.SAME: 1, Speed.FASTER: 2}


def question(level: float = 0.05, arms: int = 1, metric: str = "total_tok_s") -> Question:
    """At load 1, smallest effect 2 %."""
    return Question((metric, 1), 2.0, level, arms, primary=True)


def said(values: NDArray[np.float64], asked: Question | None = None) -> Measured:
    """The words of a whole run; arms are called by their column."""
    arms = values.shape[1] - 2
    return weigh(values, asked or question(arms=arms), [str(index) for index in range(arms)])


@st.composite
def runs(draw: st.DrawFn) -> NDArray[np.float64]:
    """Numbers of 2 to 6 blocks, both controls and 1 to 4 arms: some spread, some gain, now and then none of both."""
    blocks, arms = draw(st.integers(2, 6)), draw(st.integers(1, 4))
    seed, spread = draw(st.integers(0, 10**6)), draw(st.sampled_from([0.0, 1e-6, 0.003, 0.02, 0.2]))
    gains = draw(st.lists(st.sampled_from([-0.3, -0.02, 0.0, 0.01, 0.05, 0.5]), min_size=arms, max_size=arms))
    logs = np.random.default_rng(seed).normal(0, 1, (blocks, arms + 2)) * spread + np.array([4.0, 4.0, *gains])
    logs[:, 2:] += 4.0
    values: NDArray[np.float64] = np.exp(logs)
    return values


@settings(max_examples=40)
@given(runs())
def test_the_word_the_interval_and_the_estimate_never_contradict_one_another(values: NDArray[np.float64]) -> None:
    for answer in said(values).answers.values():
        one = answer.interval
        assert one.low_pct <= one.estimate_pct + 1e-9 and one.estimate_pct <= one.high_pct + 1e-9
        assert all(math.isfinite(number) for number in (one.low_pct, one.high_pct, one.launch_sd_pct))
        if answer.speed is Speed.FASTER:
            assert one.low_pct > 0 and one.estimate_pct > 2 - 1e-9
        if answer.speed is Speed.SLOWER:
            assert one.high_pct < 0 and one.estimate_pct < 100 * (1 / 1.02 - 1) + 1e-9
        if answer.speed is Speed.SAME:
            assert one.low_pct > -2 and one.high_pct < 2
        assert (answer.more_blocks is not None) <= (answer.speed is Speed.AMBIGUOUS)


@settings(max_examples=40)
@given(runs(), st.floats(1.0, 3.0))
def test_more_of_an_arm_in_every_launch_never_makes_its_word_worse(values: NDArray[np.float64], factor: float) -> None:
    before = said(values).answers["0"].speed
    values[:, 2] *= factor
    assert RANK[said(values).answers["0"].speed] >= RANK[before]


@settings(max_examples=40)
@given(runs(), st.floats(0.001, 0.05))
def test_a_stricter_level_and_more_planned_arms_never_find_more(values: NDArray[np.float64], level: float) -> None:
    decided = {Speed.FASTER, Speed.SLOWER, Speed.SAME}
    loose = said(values, question(level=0.05, arms=4)).answers
    for strict in (said(values, question(level=level, arms=4)), said(values, question(level=0.05, arms=9))):
        assert all(one.speed not in decided or one.speed is loose[arm].speed for arm, one in strict.answers.items())


@settings(max_examples=40)
@given(runs())
def test_baseline_and_placebo_may_change_places(values: NDArray[np.float64]) -> None:
    there, back = said(values), said(values[:, [1, 0, *range(2, values.shape[1])]])
    assert there.placebo_differs == back.placebo_differs
    assert {arm: one.speed for arm, one in there.answers.items()} == {
        arm: one.speed for arm, one in back.answers.items()
    }


@settings(max_examples=40)
@given(runs())
def test_where_less_is_better_the_words_change_sides(values: NDArray[np.float64]) -> None:
    turned = {Speed.FASTER: Speed.SLOWER, Speed.SLOWER: Speed.FASTER}
    more, less = said(values), said(values, question(arms=values.shape[1] - 2, metric="ttft_ms"))
    assert [one.speed for one in less.answers.values()] == [
        turned.get(one.speed, one.speed) for one in more.answers.values()
    ]


def test_launches_that_agree_to_the_last_digit_have_bounds_without_width() -> None:
    """Student's word for it; no timing does so, and a metric as coarse as that is no good primary (statistics.md)."""
    values = np.tile([100.0, 100.0, 100.0, 103.0, 97.0, 101.0], (3, 1))
    measured = said(values)
    words = [one.speed.value for one in measured.answers.values()]
    assert words == ["SAME", "FASTER", "SLOWER", "SAME"] and not measured.placebo_differs
    assert measured.answers["1"].interval.low_pct == pytest.approx(3) == measured.answers["1"].interval.high_pct


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, 0.0, -1.0])
@pytest.mark.parametrize("column", [0, 1, 2])
def test_a_number_without_a_logarithm_is_refused_wherever_it_stands(bad: float, column: int) -> None:
    values = np.full((3, 4), 100.0)
    values[1, column] = bad
    with pytest.raises(ValueError, match="only finite numbers above 0 can be compared"):
        said(values)


def test_one_block_is_no_comparison() -> None:
    with pytest.raises(ValueError, match="at least 2 blocks"):
        said(np.full((1, 3), 100.0))


@settings(max_examples=25)
@given(
    seed=st.integers(0, 10**6),
    spread=st.sampled_from([0.0, 0.003, 0.01, 0.05]),
    gains=st.tuples(*[st.sampled_from([-0.1, -0.03, 0.0, 0.01, 0.03, 0.1])] * 2),
)
def test_with_looks_every_word_is_borne_out_by_the_interval_it_is_shown_with(
    seed: int, spread: float, gains: tuple[float, float]
) -> None:
    criteria = asking(blocks=10, level=0.01, looks={"count": 3, "planned_effect_pct": 3})
    logs = np.random.default_rng(seed).normal(4, 1, (10, 4)) * spread + np.array([0, 0, *gains]) + 4.0
    played = Play(dict(zip(("baseline", "placebo", "x", "y"), np.exp(logs).T.tolist(), strict=True)), criteria)
    state = played.to_the_end()
    assert state.over and set(state.stops) == set(played.arms)
    whole = assemble(played.run, criteria, played.arms, played.evidence, 1.0)
    smallest = criteria.primary.smallest_effect_pct
    for verdict in (one for one in whole.verdicts if one.primary and whole.void is None):
        shown = verdict.interval
        assert shown is not None and verdict.look in (1, 2, 3)
        if verdict.speed == "FASTER":
            assert shown.low_pct > 0 and shown.estimate_pct > smallest - 1e-9
        if verdict.speed == "SLOWER":
            assert shown.high_pct < 0
        if verdict.speed == "SAME":
            assert -smallest < shown.low_pct and shown.high_pct < smallest
        assert (verdict.because is not None) == (verdict.speed == "AMBIGUOUS")
