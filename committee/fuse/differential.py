"""Which findings a reviewer has only while it sees the files' comments. Pure; a finding that is flagged is kept."""

from collections import defaultdict
from collections.abc import Iterable

from rapidfuzz import fuzz

from committee.fuse.likeness import words
from ledger.entries import Hypothesis

# Two answers of one model to nearly the same prompt are worded anew each time: clauses change places, words their
# endings. So words are sorted and then compared letter by letter. The bound was chosen on fifteen findings told in
# nearly the same words (4 of 45 retold pairs stay below). On a sample that it was not chosen on, 24 findings told
# freely, 55 of 72 retold pairs stay below and 1 of 1,332 pairs of different findings reaches it: what is told freely is
# not known again by its words, whatever the measure. So a finding without a change that is not known again is only
# `perhaps` new where its reviewer says something else of the same metric and direction; a person compares the two.
SAME_FINDING_PCT = 57


def only_with_comments(first: Iterable[Hypothesis], without: Iterable[Hypothesis]) -> frozenset[str]:
    """Ids of hypotheses of `first` that their own reviewer does not have in `without`, whatever others say."""
    seen: dict[str, list[Hypothesis]] = defaultdict(list)
    for told in without:
        seen[told.reviewer].append(told)
    return frozenset(
        told.hypothesis for told in first if not any(_same_finding(told, other) for other in seen[told.reviewer])
    )


def perhaps_in_other_words(flagged: Iterable[Hypothesis], unsaid: Iterable[Hypothesis]) -> frozenset[str]:
    """Ids of those in `flagged` that ask for no change and may be told anew in `unsaid`: what is said without only."""
    claims = {_claim(other) for other in unsaid}
    return frozenset(told.hypothesis for told in flagged if not told.arm_fingerprint and _claim(told) in claims)


def _claim(told: Hypothesis) -> tuple[str, str, str]:
    return told.reviewer, told.prediction.metric, told.prediction.direction


def _same_finding(one: Hypothesis, other: Hypothesis) -> bool:
    """The change that `one` asks for; or, where it asks for none, the same metric and direction in like words."""
    if one.arm_fingerprint:
        return one.arm_fingerprint == other.arm_fingerprint
    if _claim(one) != _claim(other):
        return False
    return fuzz.token_sort_ratio(_spaced(one.mechanism), _spaced(other.mechanism)) >= SAME_FINDING_PCT


def _spaced(text: str) -> str:
    return " ".join(words(text))
