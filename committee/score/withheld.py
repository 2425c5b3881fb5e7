"""Pure: how many hypotheses were withheld together with their numbers, so that they are in nobody's score."""

from collections import Counter
from collections.abc import Iterable

from ledger.entries import Hypothesis, Review


def gone(reviews: Iterable[Review], known: Iterable[Hypothesis]) -> Counter[str]:
    """By reviewer, hypotheses of complete reviews of which nothing is on record any more: an earlier version kept
    nothing of them. Reviews say how many there were, and are never withheld."""
    stated, there = Counter[tuple[str, str]](), Counter((one.run, one.reviewer) for one in known)
    for review in reviews:
        stated[review.run, review.reviewer] += review.hypotheses
    lost = Counter[str]()
    for (_run, reviewer), count in (stated - there).items():
        lost[reviewer] += count
    return lost
