"""Where reviewers predict opposed effects of one change, or of one mechanism in nearly the same words. Pure."""

from collections.abc import Mapping, Sequence
from itertools import combinations

from committee.fuse.fused import Alike, Contradiction, Group
from ledger.entries import Hypothesis, Prediction


def opposed(one: Prediction, other: Prediction) -> bool:
    """Up against down, or different directions whose intervals do not touch."""
    if {one.direction, other.direction} == {"up", "down"}:
        return True
    return one.direction != other.direction and (one.high_pct < other.low_pct or other.high_pct < one.low_pct)


def against(one: Hypothesis, other: Hypothesis) -> bool:
    """Opposed predictions, or one says that the other is wrong."""
    return (
        opposed(one.prediction, other.prediction) or other.hypothesis == one.refutes or one.hypothesis == other.refutes
    )


def contradictions_in(group: Group) -> tuple[Contradiction, ...]:
    """One contradiction for each metric and load on which at least two members are opposed, sorted."""
    told: dict[tuple[str, int], list[Hypothesis]] = {}
    for hypothesis in group.hypotheses:
        told.setdefault((hypothesis.prediction.metric, hypothesis.prediction.load), []).append(hypothesis)
    return tuple(
        Contradiction(group.fingerprint, group.arm.name, metric, load, tuple(members))
        for (metric, load), members in sorted(told.items())
        if any(against(one, other) for one, other in combinations(members, 2))
    )


def contradictions_between(alike: Alike, groups: Sequence[Group]) -> tuple[Contradiction, ...]:
    """At most one: near-equal words, opposed predictions, and not all in one group, which says it already.

    The arm that separates them is the first, by name, that one of them asks for; none where none asks for any.
    """
    members = alike.hypotheses
    if not any(against(one, other) for one, other in combinations(members, 2)):
        return ()
    ids = {member.hypothesis for member in members}
    asked = [group for group in groups if ids & {told.hypothesis for told in group.hypotheses}]
    fingerprint, name = (asked[0].fingerprint, asked[0].arm.name) if asked else ("", "")
    return (Contradiction(fingerprint, name, alike.metric, alike.load, members),)


def refuted_apart(told: Sequence[Hypothesis], place: Mapping[str, str]) -> tuple[Contradiction, ...]:
    """Refutations of what has no arm that can be run, so that no group holds both: no arm separates them."""
    known = {one.hypothesis: one for one in told}
    return tuple(
        Contradiction("", "", one.prediction.metric, one.prediction.load, (known[one.refutes], one))
        for one in told
        if one.refutes in known and place[one.refutes] != place[one.hypothesis]
    )
