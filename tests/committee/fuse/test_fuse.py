"""Fusing keeps everything, does not depend on order, and can be undone: examples and properties."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from committee.fuse.fuse import arm_entries, fuse
from harness.vocabulary.arm import Arm
from ledger.entries import Hypothesis, PatchOutcome
from tests.committee.fuse.sample import Direction, make_arm, make_hypothesis, make_prediction

ARMS = [None, make_arm("a", threads=1), make_arm("b", threads=1), make_arm("a", threads=2), {"name": "a"}]
DIRECTIONS: list[Direction] = ["up", "down", "same"]


@st.composite
def reviews(draw: st.DrawFn) -> list[Hypothesis]:
    """What up to three reviewers said, up to four hypotheses each."""
    told = []
    for reviewer in draw(st.sets(st.sampled_from(["ada", "bob", "cyd"]))):
        for number in range(draw(st.integers(0, 4))):
            prediction = make_prediction(draw(st.sampled_from(DIRECTIONS)), load=draw(st.sampled_from([1, 4])))
            told.append(make_hypothesis(reviewer, number, draw(st.sampled_from(ARMS)), prediction))
    return told


AUTHORS = st.lists(st.integers(1, 3).map(lambda threads: author("a", threads)), max_size=2)


def author(name: str, threads: int) -> Arm:
    """An arm of the proposal's own."""
    return Arm.model_validate({"schema": 1, "name": name, "flags": {"threads": threads}})


@given(reviews(), AUTHORS, st.data())
def test_order_does_not_matter(told: list[Hypothesis], arms: list[Arm], data: st.DataObject) -> None:
    assert fuse(data.draw(st.permutations(told)), data.draw(st.permutations(arms))) == fuse(told, arms)


@given(reviews(), AUTHORS)
def test_nothing_is_lost_and_nothing_counted_twice(told: list[Hypothesis], arms: list[Arm]) -> None:
    fused = fuse(told, arms)
    assert sorted(h.hypothesis for h in fused.hypotheses) == sorted(h.hypothesis for h in told)
    assert fuse([*told, *told], arms) == fused
    assert fuse(fused.hypotheses, arms) == fused
    assert len({arm.name for arm in fused.arms}) == len(fused.arms)
    assert {arm.fingerprint for arm in fused.arms} >= {arm.fingerprint for arm in arms}


@given(reviews(), AUTHORS)
def test_without_one_reviewer_only_their_words_are_gone(told: list[Hypothesis], arms: list[Arm]) -> None:
    whole = fuse(told, arms)
    less = fuse([h for h in told if h.reviewer != "ada"], arms)
    kept = {group.fingerprint: [h for h in group.hypotheses if h.reviewer != "ada"] for group in whole.groups}
    assert {group.fingerprint: list(group.hypotheses) for group in less.groups} == {
        fingerprint: members
        for fingerprint, members in kept.items()
        if members or fingerprint in {arm.fingerprint for arm in arms}
    }
    assert less.not_runnable == tuple(h for h in whole.not_runnable if h.reviewer != "ada")
    assert less.without_arm == tuple(h for h in whole.without_arm if h.reviewer != "ada")


@given(reviews(), AUTHORS)
def test_each_group_is_one_change(told: list[Hypothesis], arms: list[Arm]) -> None:
    for group in fuse(told, arms).groups:
        assert group.arm.fingerprint == group.fingerprint
        assert all(h.arm_fingerprint == group.fingerprint for h in group.hypotheses)
        assert set(group.origins) - {"author"} == {h.hypothesis for h in group.hypotheses}


def test_the_same_change_under_two_names_is_one_arm() -> None:
    fused = fuse(
        [
            make_hypothesis("bob", 1, make_arm("slots", n_parallel=4)),
            make_hypothesis("ada", 1, make_arm("four-slots", n_parallel="4")),
        ],
        [],
    )
    (group,) = fused.groups
    assert group.names == ("four-slots", "slots")
    assert group.arm.name == "four-slots"
    assert [h.reviewer for h in group.hypotheses] == ["ada", "bob"]


def test_the_authors_definition_is_taken_and_a_witness_preferred() -> None:
    seen = {"source": "props", "path": "total_slots", "equals": 4}
    told = [
        make_hypothesis("ada", 1, make_arm("a", threads=1)),
        make_hypothesis("bob", 1, {**make_arm("z", threads=1), "witness": [seen]}),
    ]
    assert fuse(told, []).groups[0].arm.name == "z"
    mine = fuse(told, [author("mine", 1)]).groups[0]
    assert mine.arm.name == "mine"
    assert mine.origins == ("author", "review-000000/ada/1", "review-000000/bob/1")


def test_two_changes_of_one_name_are_told_apart_and_the_author_keeps_the_name() -> None:
    told = [make_hypothesis("ada", 1, make_arm("fast", threads=1)), make_hypothesis("bob", 1, make_arm("fast", n=2))]
    names = [arm.name for arm in fuse(told, []).arms]
    assert names == sorted(f"fast-{h.arm_fingerprint[:6]}" for h in told if h.arm_fingerprint)
    assert "fast" in [arm.name for arm in fuse(told, [author("fast", 3)]).arms]


def test_hypotheses_without_a_usable_arm_stay_visible() -> None:
    bare = make_hypothesis("ada", 1, None)
    broken = make_hypothesis("ada", 2, {"name": "x"})
    denied = make_hypothesis("ada", 3, make_arm("x", host="h"), not_runnable="'host' is not listed")
    fused = fuse([denied, broken, bare], [])
    assert fused.without_arm == (bare,)
    assert fused.not_runnable == (broken, denied)
    assert fused.groups == ()


def test_numbers_are_sorted_as_numbers() -> None:
    told = [make_hypothesis("ada", number, None) for number in (10, 9, 2)]
    assert [h.hypothesis.rsplit("/")[-1] for h in fuse(told, []).without_arm] == ["2", "9", "10"]


GOOD = make_hypothesis("bob", 1, make_arm("b", threads=2))
TWICE = {"name": "a", "flags": {"n_parallel": 2, "n-parallel": 4}}


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (
            make_hypothesis("ada", 1, make_arm("a", threads=1), arm_fingerprint="0" * 64),
            "does not have its fingerprint",
        ),
        (make_hypothesis("ada", 1, None, arm_fingerprint="0" * 64), "at least one flag or env entry"),
        (
            make_hypothesis("ada", 1, TWICE, arm_fingerprint="0" * 64, not_runnable=None),
            "'n_parallel' and 'n-parallel' are two spellings of one flag; keep one",
        ),
    ],
)
def test_a_hypothesis_that_contradicts_itself_is_not_run_and_the_others_are(fault: Hypothesis, reason: str) -> None:
    fused = fuse([fault, GOOD], [author("mine", 1)])
    (shown,) = fused.not_runnable
    assert reason in str(shown.not_runnable)
    assert shown == fault.model_copy(update={"not_runnable": shown.not_runnable})
    assert [group.arm.name for group in fused.groups] == ["b", "mine"]
    assert fused.groups[1].origins == ("author",)
    assert fused.without_arm == ()


def test_two_hypotheses_of_one_id_are_both_shown_and_neither_is_run() -> None:
    one = make_hypothesis("ada", 1, make_arm("a", threads=1))
    two = one.model_copy(update={"mechanism": "other"})
    fused = fuse([one, GOOD, two], [])
    assert {told.mechanism for told in fused.not_runnable} == {one.mechanism, "other"}
    assert all("2 different hypotheses have the id" in str(told.not_runnable) for told in fused.not_runnable)
    assert [group.arm.name for group in fused.groups] == ["b"]
    assert fuse([two, one, GOOD], []) == fused == fuse(fused.hypotheses, [])


def test_entries_of_the_arms_say_where_they_came_from() -> None:
    fused = fuse([make_hypothesis("ada", 1, make_arm("a", threads=1))], [author("mine", 2)])
    first, second = arm_entries(fused, "sample-server", "0007-sample")
    assert (first.name, first.origins, first.target) == ("a", ("review-000000/ada/1",), "sample-server")
    assert (second.name, second.origins) == ("mine", ("author",))
    assert Arm.model_validate(first.definition).fingerprint == first.fingerprint


def patched(reviewer: str, content: str, change: str) -> Hypothesis:
    """A hypothesis whose patch became an overlay with this content."""
    overlay = {"path": "/srv/a.cu", "source": f"/arms/{content}/a.cu", "sha256": content}
    launched = Arm.model_validate({"schema": 1, "name": f"by-{reviewer}", "overlay": [overlay]})
    outcome = PatchOutcome(
        files=(), change=change, compiled="", launched=launched.model_dump(mode="json", by_alias=True)
    )
    written = {"name": f"by-{reviewer}", "patch": "--- a"}
    return make_hypothesis(reviewer, 1, written, arm_fingerprint=launched.fingerprint, not_runnable=None, patch=outcome)


def test_two_styles_of_one_patch_are_one_arm_and_the_very_text_of_one_is_measured() -> None:
    told = [patched("ada", "a" * 64, "0" * 64), patched("bob", "b" * 64, "0" * 64), patched("cyd", "c" * 64, "1" * 64)]
    first, second = fuse(told, []).groups
    assert [h.reviewer for h in first.hypotheses] == ["ada", "bob"] and first.names == ("by-ada", "by-bob")
    assert first.arm.fingerprint == first.fingerprint == told[0].arm_fingerprint
    assert [h.reviewer for h in second.hypotheses] == ["cyd"]
    assert fuse(told[::-1], []) == fuse(told, []) and fuse(told, []).not_runnable == ()


def test_the_authors_own_overlay_is_the_same_change_as_a_patch_that_makes_it() -> None:
    told = patched("ada", "a" * 64, "0" * 64)
    assert told.patch and told.patch.launched
    mine = Arm.model_validate({**told.patch.launched, "name": "mine"})
    (group,) = fuse([told], [mine]).groups
    assert group.origins == ("author", told.hypothesis) and group.arm.name == "mine"


def test_a_patch_whose_arm_is_not_the_recorded_one_is_not_run() -> None:
    told = patched("ada", "a" * 64, "0" * 64).model_copy(update={"arm_fingerprint": "f" * 64})
    (shown,) = fuse([told], []).not_runnable
    assert "does not have its fingerprint" in str(shown.not_runnable)
    broken = patched("ada", "a" * 64, "0" * 64)
    assert broken.patch
    broken = broken.model_copy(update={"patch": broken.patch.model_copy(update={"launched": {"schema": 1}})})
    assert "arm" in str(fuse([broken], []).not_runnable[0].not_runnable)
