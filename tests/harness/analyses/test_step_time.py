"""Step time over tensor-parallel sizes, held against a real campaign's three sizes (lesson M10)."""

import pytest
from pydantic import ValidationError

from harness.analyses.answer import Answer, NoNumber
from harness.analyses.step_time import Size, StepTime, analyse, fitted

FOUR: dict[str, object] = {"cards": 4, "gb_per_card": 3.66, "step_ms": 14.671}
TWO: dict[str, object] = {"cards": 2, "gb_per_card": 7.31, "step_ms": 20.137}
ONE: dict[str, object] = {"cards": 1, "gb_per_card": 14.62, "step_ms": 30.441}


def answered(*sizes: dict[str, object], **rounding: float) -> Answer:
    answer = analyse(StepTime.model_validate({"sizes": sizes, **rounding}))
    assert isinstance(answer, Answer)
    return answer


def test_one_card_is_predicted_from_four_and_two() -> None:
    answer = answered(FOUR, TWO, {**ONE, "held_out": True}, step_ms_rounding=0.001, gb_rounding=0.01)
    assert round(answer.value("predicted rate, 1 card"), 1) == 32.2
    assert round(answer.value("measured rate, 1 card"), 2) == 32.85
    assert round(answer.value("prediction against measurement, 1 card")) == -2
    assert answer.value("lowest predicted rate, 1 card") < 32.17 < answer.value("highest predicted rate, 1 card")
    assert any("leave nothing that could show an error" in said for said in answer.cautions)


def test_slopes_and_intercepts_of_the_pairs_stand_side_by_side() -> None:
    (said,) = [one for one in answered(FOUR, TWO, ONE).cautions if "each pair" in one]
    assert "4 and 2: 1.498 ms/GB with 9.19 ms" in said
    assert "4 and 1: 1.439 ms/GB with 9.40 ms" in said
    assert "2 and 1: 1.410 ms/GB with 9.83 ms" in said


def test_three_fitted_sizes_give_an_interval_of_the_model() -> None:
    eight: dict[str, object] = {"cards": 8, "gb_per_card": 1.83, "step_ms": 12.0, "held_out": True}
    answer = answered(FOUR, TWO, ONE, eight)
    low, high = answer.value("lowest predicted rate, 8 cards"), answer.value("highest predicted rate, 8 cards")
    assert low < answer.value("predicted rate, 8 cards") < high
    assert high / low > 1.2  # one degree of freedom: 12.7 standard errors on either side


def test_a_line_is_found_again() -> None:
    line = fitted(((1.0, 12.0), (2.0, 14.0), (4.0, 18.0)))
    assert (line.fixed_ms, line.ms_per_gb) == pytest.approx((10.0, 2.0))


def test_one_size_or_equal_bytes_carry_no_number() -> None:
    for sizes in ((FOUR,), (FOUR, {**TWO, "gb_per_card": 3.66}), (FOUR, {**TWO, "held_out": True})):
        answer = analyse(StepTime.model_validate({"sizes": sizes}))
        assert isinstance(answer, NoNumber)
        assert "two sizes" in answer.sentence


def test_more_bytes_in_less_time_is_no_number() -> None:
    answer = analyse(
        StepTime(sizes=(Size(cards=4, gb_per_card=3, step_ms=20), Size(cards=2, gb_per_card=6, step_ms=15)))
    )
    assert isinstance(answer, NoNumber)


def test_a_fixed_time_below_zero_is_said() -> None:
    answer = answered({**FOUR, "step_ms": 3}, {**TWO, "step_ms": 15})
    assert any("below 0" in said for said in answer.cautions)


def test_a_size_given_twice_is_refused() -> None:
    with pytest.raises(ValidationError, match="given twice"):
        StepTime.model_validate({"sizes": (FOUR, FOUR)})


def test_slopes_that_are_stated_with_another_pairs_fixed_time_are_told() -> None:
    stated = [{"ms_per_gb": 1.410, "fixed_ms": 9.19}, {"ms_per_gb": 1.439, "fixed_ms": 9.41}]
    answer = analyse(StepTime.model_validate({"sizes": [FOUR, TWO, ONE], "stated": stated}))
    assert isinstance(answer, Answer)
    (said,) = (one for one in answer.cautions if "opposite orders" in one)
    assert said.startswith("a slope of 1.41 ms/GB is stated with 9.19 ms fixed; the pair with that slope has 9.83 ms")


@pytest.mark.parametrize(
    ("slope", "fixed", "words"),
    [
        (5.0, 9.83, "no pair of these sizes has the slope of 5 ms/GB that is stated"),
        (1.410, 4.0, "the pair with that slope has 9.83 ms, and no other pair has that either"),
    ],
)
def test_a_stated_line_that_no_pair_has_is_not_called_a_list_in_opposite_order(
    slope: float, fixed: float, words: str
) -> None:
    stated = [{"ms_per_gb": slope, "fixed_ms": fixed}]
    answer = analyse(StepTime.model_validate({"sizes": [FOUR, TWO, ONE], "stated": stated}))
    assert isinstance(answer, Answer)
    assert any(said.endswith(words) for said in answer.cautions)


def test_bytes_that_differ_by_their_rounding_carry_no_number() -> None:
    sizes = [{"cards": 2, "gb_per_card": 7.31, "step_ms": 20.0}, {"cards": 1, "gb_per_card": 7.32, "step_ms": 20.5}]
    answer = analyse(StepTime.model_validate({"sizes": sizes, "gb_rounding": 0.02}))
    assert isinstance(answer, NoNumber) and "no more than their rounding" in answer.sentence


def test_a_size_that_the_line_gives_no_time_is_not_predicted() -> None:
    rows = [(4, 10.0, 10.0, False), (2, 20.0, 30.0, False), (1, 1.0, 5.0, True)]
    sizes = [{"cards": n, "gb_per_card": gb, "step_ms": ms, "held_out": held} for n, gb, ms, held in rows]
    answer = analyse(StepTime.model_validate({"sizes": sizes}))
    assert isinstance(answer, Answer)
    assert any("gives 1 card no time above 0" in one for one in answer.cautions)
    assert not any("predicted" in fact.name for fact in answer.facts)
