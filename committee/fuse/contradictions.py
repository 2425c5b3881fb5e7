"""Where reviewers predict opposed effects of one change, or of one mechanism in nearly the same words. Pure."""

from collections.abc import Sequence
from itertools import combinations

from committee.fuse.fused import Alike, Contradiction, Group
from ledger.entries import Hypothesis, Prediction


def opposed(one: Prediction, other: Prediction) -> bool:
    """Up against down, or different directions whose intervals do not touch."""
    if {one.direction, other.direction} == {"up", "down"}:
        return True
    return one.direction != other.direction and (one.high_pct < other.low_pct or other.high_pct < one.low_pct)


def contradictions_in(group: Group) -> tuple[Contradiction, ...]:
    """One contradiction for each metric and load on which at least two members are opposed, sorted."""
    told: dict[tuple[str, int], list[Hypothesis]] = {}
    for hypothesis in group.hypotheses:
        told.setdefault((hypothesis.prediction.metric, hypothesis.prediction.load), []).append(hypothesis)
    return tuple(
        Contradiction(group.fingerprint, group.arm.name, metric, load, tuple(members))
        for (metric, load), members in sorted(told.items())
        if any(opposed(one.prediction, other.prediction) for one, other in combinations(members, 2))
    )


def contradictions_between(alike: Alike, groups: Sequence[Group]) -> tuple[Contradiction, ...]:
    """At most one: near-equal words, opposed predictions, and not all in one group, which says it already.

    The arm that separates them is the first, by name, that one of them asks for; none where none asks for any.
    """
    members = alike.hypotheses
    if not any(opposed(one.prediction, other.prediction) for one, other in combinations(members, 2)):
        return ()
    ids = {member.hypothesis for member in members}
    asked = [group for group in groups if ids & {told.hypothesis for told in group.hypotheses}]
    fingerprint, name = (asked[0].fingerprint, asked[0].arm.name) if asked else ("", "")
    return (Contradiction(fingerprint, name, alike.metric, alike.load, members),)
