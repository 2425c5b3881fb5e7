"""Opposed predictions: by direction, or by intervals that do not touch; only on the same change, metric and load."""

import pytest

from committee.fuse.contradictions import opposed
from committee.fuse.fuse import fuse
from ledger.entries import Prediction
from tests.committee.fuse.sample import Direction, make_arm, make_hypothesis, make_prediction


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (("up", 5, 20), ("down", -20, -5), True),
        (("up", 0, 20), ("down", -20, 0), True),
        (("up", 5, 20), ("same", -2, 2), True),
        (("up", 1, 20), ("same", -2, 2), False),
        (("up", 5, 20), ("up", 30, 40), False),
        (("same", -1, 1), ("same", -9, 9), False),
    ],
)
def test_opposed(one: tuple[Direction, float, float], other: tuple[Direction, float, float], expected: bool) -> None:
    first, second = (
        Prediction(metric="ttft_ms", load=1, direction=direction, low_pct=low, high_pct=high)
        for direction, low, high in (one, other)
    )
    assert opposed(first, second) is expected
    assert opposed(second, first) is expected


def test_a_contradiction_names_the_arm_that_separates_it() -> None:
    fused = fuse(
        [
            make_hypothesis("ada", 1, make_arm("kv-q8", cache_type_k="q8_0"), make_prediction("up")),
            make_hypothesis("bob", 1, make_arm("k-cache", cache_type_k="q8_0"), make_prediction("down")),
        ],
        [],
    )
    (found,) = fused.contradictions
    assert (found.metric, found.load, found.arm_name) == ("total_tok_s", 4, "k-cache")
    assert [hypothesis.reviewer for hypothesis in found.hypotheses] == ["ada", "bob"]
    assert found.fingerprint == fused.groups[0].fingerprint


@pytest.mark.parametrize(
    ("metric", "load", "arm"),
    [
        ("user_tok_s", 4, make_arm("a", threads=1)),
        ("total_tok_s", 1, make_arm("a", threads=1)),
        ("total_tok_s", 4, make_arm("a", threads=2)),
    ],
)
def test_another_metric_load_or_change_is_no_contradiction(metric: str, load: int, arm: dict[str, object]) -> None:
    fused = fuse(
        [
            make_hypothesis("ada", 1, make_arm("a", threads=1), make_prediction("up")),
            make_hypothesis("bob", 1, arm, make_prediction("down", metric, load)),
        ],
        [],
    )
    assert fused.contradictions == ()


def test_a_refutation_is_a_contradiction_whatever_it_predicts() -> None:
    arm = make_arm("a", threads=1)
    first = make_hypothesis("ada", 1, arm, make_prediction("up"))
    late = make_hypothesis("bob", 1, arm, make_prediction("up"), refutes=first.hypothesis)
    (found,) = fuse([late, first], []).contradictions
    assert (found.arm_name, found.hypotheses) == ("a", (first, late))


def test_a_refutation_of_what_has_no_arm_is_separated_by_none() -> None:
    first = make_hypothesis("ada", 1, None)
    late = make_hypothesis("bob", 1, None, refutes=first.hypothesis)
    lost = make_hypothesis("cyd", 1, None, refutes="review-000000/zoe/9")
    (found,) = fuse([late, lost, first], []).contradictions
    assert (found.arm_name, found.fingerprint, found.hypotheses) == ("", "", (first, late))
