"""Which findings a reviewer has only while it sees the files' comments. Pure; a finding that is flagged is kept."""

from collections import defaultdict
from collections.abc import Iterable

from rapidfuzz import fuzz

from committee.fuse.likeness import words
from ledger.entries import Hypothesis

# Two answers of one model to nearly the same prompt are worded anew each time, so less likeness than for one sentence
# retold counts as the same finding: half of the words. Without a change in common it must be about the same metric too.
SAME_FINDING_PCT = 50


def only_with_comments(first: Iterable[Hypothesis], without: Iterable[Hypothesis]) -> frozenset[str]:
    """Ids of hypotheses of `first` that their own reviewer does not have in `without`, whatever others say."""
    seen: dict[str, list[Hypothesis]] = defaultdict(list)
    for told in without:
        seen[told.reviewer].append(told)
    return frozenset(
        told.hypothesis for told in first if not any(_same_finding(told, other) for other in seen[told.reviewer])
    )


def _same_finding(one: Hypothesis, other: Hypothesis) -> bool:
    """The same change; or, where not both name one that can be run, the same metric and direction in like words."""
    if one.arm_fingerprint and other.arm_fingerprint:
        return one.arm_fingerprint == other.arm_fingerprint
    mine, theirs = one.prediction, other.prediction
    if (mine.metric, mine.direction) != (theirs.metric, theirs.direction):
        return False
    return fuzz.ratio(words(one.mechanism), words(other.mechanism)) >= SAME_FINDING_PCT
