"""Dispatch crossings, held against a real campaign's kernel times (lesson R5)."""

import math

import pytest
from pydantic import ValidationError

from harness.analyses.answer import Answer, NoNumber
from harness.analyses.dispatch import Dispatch, Point, Way, analyse

STRAIGHT = Way(name="small", points=(Point(m=1, ms=0.086), Point(m=64, ms=4.169)))
FLAT = Way(name="large", constant_ms=1.106, parts_ms=(0.663, 0.441))


def answered(asked: Dispatch) -> Answer:
    answer = analyse(asked)
    assert isinstance(answer, Answer)
    return answer


def test_the_endpoints_put_the_crossing_at_16_7_and_the_word_15_is_contradicted() -> None:
    answer = answered(Dispatch(small=STRAIGHT, large=FLAT, threshold=8, stated_crossing=15))
    assert round(answer.value("crossing"), 1) == 16.7
    assert answer.value("best threshold") == 16
    assert any("stated as 15" in said for said in answer.cautions)
    assert any("add up to 1.104 ms" in said for said in answer.cautions)
    assert any("two points" in said for said in answer.cautions)


def test_a_threshold_that_is_too_low_costs_most_just_above_it() -> None:
    answer = answered(Dispatch(small=STRAIGHT, large=FLAT, threshold=8))
    assert answer.value("M given to the slower way by the threshold 8") == 8
    assert answer.value("worst loss at M") == 9
    at_nine = 0.086 + (4.169 - 0.086) * 8 / 63
    assert answer.value("worst loss") == pytest.approx(1.106 / at_nine)


def test_the_right_threshold_costs_nothing() -> None:
    answer = answered(Dispatch(small=STRAIGHT, large=FLAT, threshold=16))
    assert answer.value("worst loss") == 1
    assert answer.value("M given to the slower way by the threshold 16") == 0


def test_ways_that_do_not_cross_say_who_wins() -> None:
    fast = Way(name="fast", constant_ms=0.01)
    answer = answered(Dispatch(small=STRAIGHT, large=fast))
    assert any("fast is faster at every M" in said for said in answer.cautions)
    assert answer.facts[0].value == pytest.approx(4.169 / 0.01)


def test_nothing_is_said_outside_the_measured_m() -> None:
    beyond = Way(name="beyond", points=(Point(m=100, ms=1.0), Point(m=200, ms=2.0)))
    assert isinstance(analyse(Dispatch(small=STRAIGHT, large=beyond)), NoNumber)


@pytest.mark.parametrize(
    "way",
    [
        {"name": "both", "points": [{"m": 1, "ms": 1.0}], "constant_ms": 2.0},
        {"name": "neither"},
        {"name": "twice", "points": [{"m": 1, "ms": 1.0}, {"m": 1, "ms": 2.0}]},
        {"name": "nan", "constant_ms": math.nan},
    ],
)
def test_a_way_is_points_or_a_constant(way: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Way.model_validate(way)


def points(*times: tuple[int, float]) -> Way:
    return Way(name="points", points=tuple(Point(m=m, ms=ms) for m, ms in times))


@pytest.mark.parametrize(
    ("small", "words"),
    [
        (points((1, 5.0), (10, 1.0)), "large is faster up to M = 7 and points beyond: they cross between 7 and 8, but"),
        (points((1, 1.0), (4, 3.0), (7, 1.0)), "they cross between 2 and 3, 5 and 6, so no one threshold"),
        (points((1, 2.0), (9, 2.0)), "both take the same time at every M from 1 to 9"),
    ],
)
def test_times_that_give_no_threshold_say_why(small: Way, words: str) -> None:
    answer = answered(Dispatch(small=small, large=Way(name="large", constant_ms=2.0)))
    assert any(said.startswith(words) for said in answer.cautions)
    assert not any(fact.name in ("crossing", "best threshold") for fact in answer.facts)


@pytest.mark.parametrize(("stated", "said"), [(1.105, 0), (1.106, 1), (1.1, 0), (1.2, 1)])
def test_parts_and_a_whole_agree_within_the_rounding_of_all_of_them(stated: float, said: int) -> None:
    way = Way(name="large", constant_ms=stated, parts_ms=(0.663, 0.441))
    cautions = answered(Dispatch(small=STRAIGHT, large=way)).cautions
    assert sum("the parts add up" in caution for caution in cautions) == said
