"""Which findings a reviewer has only while it sees the files' comments. Pure; a finding that is flagged is kept."""

from collections import defaultdict
from collections.abc import Iterable

from rapidfuzz import fuzz

from committee.fuse.likeness import words
from ledger.entries import Hypothesis

# Two answers of one model to nearly the same prompt are worded anew each time: clauses change places, words their
# endings. So words are sorted and then compared letter by letter. Of ten findings in English and five in Chinese, each
# told in three ways, 4 of 45 retold pairs stay below this, and none of 495 pairs of different findings about one metric
# reaches it. Without a change in common it must be about the same metric and direction too.
SAME_FINDING_PCT = 57


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
    return fuzz.token_sort_ratio(_spaced(one.mechanism), _spaced(other.mechanism)) >= SAME_FINDING_PCT


def _spaced(text: str) -> str:
    return " ".join(words(text))
