"""Near-equal texts are proposed as one: what counts as near, whatever the order, and both texts are kept."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from committee.fuse.fuse import fuse
from committee.fuse.likeness import alike_in, words
from ledger.entries import Hypothesis
from tests.committee.fuse.sample import Direction, make_arm, make_hypothesis, make_prediction

SAID = "Every decode step reads all weights once, so two users that share a step share the reading of the weights too."
RETOLD = "every decode step reads all weights once; so two users that share a step share the READING of the weights"
OTHER = (
    "The scheduler waits for a whole chunk of the prompt, so a long prompt holds up everybody who decodes meanwhile."
)


def told(reviewer: str, number: int, mechanism: str, way: Direction = "up", **changed: object) -> Hypothesis:
    """A hypothesis without an arm, unless one is given."""
    arm = changed.pop("arm", None)
    prediction = make_prediction(way, load=int(str(changed.pop("load", 4))))
    return make_hypothesis(reviewer, number, arm, prediction, mechanism=mechanism)  # type: ignore[arg-type]


def alone(*hypotheses: Hypothesis) -> list[list[str]]:
    """The ids of each set when every hypothesis stands alone."""
    found = alike_in(hypotheses, {one.hypothesis: one.hypothesis for one in hypotheses})
    return [[member.hypothesis.removeprefix("review-000000/") for member in one.hypotheses] for one in found]


def test_the_same_sentence_retold_is_proposed_as_one() -> None:
    assert alone(told("bob", 1, RETOLD), told("ada", 1, SAID), told("cyd", 1, OTHER)) == [["ada/1", "bob/1"]]


@pytest.mark.parametrize(
    ("other", "changed"),
    [
        (OTHER, {}),
        (RETOLD, {"load": 1}),
        (RETOLD.replace("two", "2"), {}),
        ("每一步都要讀取全部權重，所以同一步裡的使用者共用這次讀取。", {}),
    ],
)
def test_another_statement_is_not_near(other: str, changed: dict[str, object]) -> None:
    assert alone(told("ada", 1, SAID), told("bob", 1, other, **changed)) == []  # type: ignore[arg-type]


def test_numbers_that_differ_are_two_statements() -> None:
    one = SAID.replace("two", "512")
    assert alone(told("ada", 1, one), told("bob", 1, one.replace("512", "2048"))) == []
    assert alone(told("ada", 1, one), told("bob", 1, one)) == [["ada/1", "bob/1"]]


def test_a_character_of_chinese_is_a_word() -> None:
    assert words("讀取 weights，Ａ級") == ("讀", "取", "weights", "a", "級")
    one = "每一步都要讀取全部權重，所以同一步裡的使用者共用這次讀取的頻寬"
    assert alone(told("ada", 1, one), told("bob", 1, f"{one}了。")) == [["ada/1", "bob/1"]]


def test_those_in_one_group_are_one_already() -> None:
    arm = make_arm("a", threads=1)
    assert fuse([told("ada", 1, SAID, arm=arm), told("bob", 1, RETOLD, arm=arm)], []).alike == ()
    (found,) = fuse([told("ada", 1, SAID, arm=arm), told("bob", 1, RETOLD)], []).alike
    assert [member.mechanism for member in found.hypotheses] == [SAID, RETOLD]


def test_opposed_predictions_in_near_equal_words_are_a_contradiction_with_the_arm_that_separates_them() -> None:
    arm = make_arm("share", threads=1)
    (found,) = fuse([told("ada", 1, SAID), told("bob", 1, RETOLD, "down", arm=arm)], []).contradictions
    assert (found.arm_name, [one.reviewer for one in found.hypotheses]) == ("share", ["ada", "bob"])
    (bare,) = fuse([told("ada", 1, SAID), told("bob", 1, RETOLD, "down")], []).contradictions
    assert (bare.arm_name, bare.fingerprint) == ("", "")
    assert fuse([told("ada", 1, SAID), told("bob", 1, RETOLD)], []).contradictions == ()


TEXTS = st.sampled_from([SAID, RETOLD, f"{SAID} Or so.", f"{RETOLD} or so, perhaps", OTHER])
MANY = st.lists(st.tuples(st.sampled_from(["ada", "bob", "cyd"]), TEXTS), max_size=8).map(
    lambda pairs: [told(reviewer, number, text) for number, (reviewer, text) in enumerate(pairs)]
)


@given(MANY, st.data())
def test_order_and_repetition_do_not_matter(given_ones: list[Hypothesis], data: st.DataObject) -> None:
    once = fuse(given_ones, [])
    assert fuse([*data.draw(st.permutations(given_ones)), *given_ones], []) == once
    assert len(once.hypotheses) == len(given_ones)


@given(MANY)
def test_without_one_reviewer_no_new_set_appears(given_ones: list[Hypothesis]) -> None:
    whole = [{member.hypothesis for member in one.hypotheses} for one in fuse(given_ones, []).alike]
    for one in fuse([each for each in given_ones if each.reviewer != "ada"], []).alike:
        assert any({member.hypothesis for member in one.hypotheses} <= known for known in whole)
