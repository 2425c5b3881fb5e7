"""Where reviewers predict opposed effects of one and the same change. Pure."""

from itertools import combinations

from committee.fuse.fused import Contradiction, Group
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
