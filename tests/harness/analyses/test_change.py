"""Changes beside what identical arms differ by, held against a real campaign's page (lessons A2, M12, R5)."""

import pytest
from pydantic import ValidationError

from harness.analyses.answer import Answer, NoNumber
from harness.analyses.change import Changes, analyse


def answered(**asked: object) -> Answer:
    answer = analyse(Changes.model_validate(asked))
    assert isinstance(answer, Answer)
    return answer


def change(name: str, before: float, after: float) -> dict[str, object]:
    return {"name": name, "before": before, "after": after}


ROUNDS = {"name": "two rounds", "figures": [153.47, 157.41]}


def test_the_model_files_gain_and_the_edited_kernels_noise() -> None:
    changes = [change("file", 86.74, 107.75), change("kernel", 260.15, 261.90)]
    answer = answered(changes=changes, identical=[ROUNDS])
    assert round(answer.value("change, file"), 1) == 24.2
    assert round(answer.value("range of identical arms, two rounds"), 1) == 2.5
    assert [one for one in answer.cautions if "shows nothing" in one] == [
        "kernel: inside the range of identical arms (2.5 %), so it shows nothing"
    ]


def test_a_change_without_identical_arms_is_said_to_be_without() -> None:
    answer = answered(changes=[change("a", 1, 2), change("b", 1, 2)], identical=[ROUNDS | {"for_changes": ["a"]}])
    assert answer.cautions == ("b: without identical arms nothing says how much of this nobody changed",)


def test_a_sum_that_is_none_is_said_and_one_within_rounding_is_not() -> None:
    parts = {"name": "GEMM", "parts": [0.663, 0.441], "rounding": 0.001}
    answer = answered(sums=[parts | {"stated": 1.106}])
    assert answer.cautions == ("GEMM: the parts add up to 1.104 and the whole is stated as 1.106",)
    assert answered(sums=[parts | {"stated": 1.105}]).cautions == ()


def test_nothing_given_is_no_number() -> None:
    assert isinstance(analyse(Changes()), NoNumber)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"changes": [change("a", 1, 2), change("a", 1, 2)]}, "two changes have one name"),
        ({"identical": [ROUNDS | {"for_changes": ["x"]}]}, "names x, which is no change here"),
        ({"identical": [{"name": "n", "figures": [1.0, 0.0]}]}, "figures must lie between"),
        ({"sums": [{"name": "n", "parts": [1.0, 1e300], "stated": 1, "rounding": 0}]}, "parts must lie between"),
        ({"changes": [change("a", 0, 2)]}, "greater than or equal"),
    ],
)
def test_inputs_that_are_no_figures_are_refused(asked: dict[str, object], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        Changes.model_validate(asked)
