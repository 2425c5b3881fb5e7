"""Mean likeness of texts to the baseline's."""

import pytest

from harness.gates.quality import check_quality, likeness
from harness.vocabulary.outcome import Reason


def test_likeness_is_over_words() -> None:
    assert likeness("a b c d", "a b c d") == 1
    assert likeness("a b c d", "a b x d") == pytest.approx(0.75)
    assert likeness("a b", "c d") == 0
    assert likeness("", "") == 1


def test_the_mean_decides_at_exactly_the_least() -> None:
    texts, baseline = ("a b c d", "a b"), ("a b x d", "a b")
    assert check_quality(texts, baseline, 0.875).passed
    outcome = check_quality(texts, baseline, 0.876)
    assert (outcome.passed, outcome.reason) == (False, Reason.QUALITY_BELOW)
    assert "0.875" in outcome.evidence


@pytest.mark.parametrize(("texts", "baseline"), [((), ()), (("a",), ("a", "b"))])
def test_texts_that_cannot_be_compared_do_not_pass(texts: tuple[str, ...], baseline: tuple[str, ...]) -> None:
    assert check_quality(texts, baseline, 0.0).reason is Reason.QUALITY_BELOW
