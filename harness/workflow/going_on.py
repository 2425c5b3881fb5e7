"""What going on with an undecided arm would take. Pure.

Blocks are fixed beforehand, so it takes a new run; what that costs is computed as its dry run computes it.
"""

from collections.abc import Mapping
from typing import Any

from harness.vocabulary.base import BadFileError
from harness.vocabulary.criteria import MOST_RUN_BLOCKS, Criteria
from harness.vocabulary.target import Planning
from harness.workflow.design import most_launches
from harness.workflow.plan import downtime_s
from ledger.entries import Verdict


def blocks_in_all(verdict: Verdict) -> int | None:
    """Blocks of a new run that would settle it; none where no number is known to, or more than a run may have."""
    if verdict.more_blocks is None:
        return None
    total = verdict.blocks + verdict.more_blocks
    if verdict.interval is None:  # never compared: it asks for one whole plan, and plans are within the limit
        return min(total, MOST_RUN_BLOCKS)
    return total if total <= MOST_RUN_BLOCKS else None


def no_run_settles(verdict: Verdict) -> str | None:
    """Why no new run would settle an AMBIGUOUS arm and what to do instead, none where one might."""
    if verdict.speed != "AMBIGUOUS" or blocks_in_all(verdict) is not None:
        return None
    return (
        f"no number of blocks that a run may have (at most {MOST_RUN_BLOCKS}) settles it: take a larger smallest "
        "effect, a longer protocol or a quieter machine"
    )


def planted(criteria: Mapping[str, Any]) -> tuple[str, ...]:
    """Names of the planted controls that every run of these criteria measures as well."""
    return tuple(str(one["arm"]) for one in criteria.get("controls") or ())


def new_run_min(planning: Planning, criteria: Mapping[str, Any], blocks: int) -> float | None:
    """Server minutes of a new run of one arm (and the planted controls) in so many blocks; the dry run's own figure.

    None where the recorded criteria are none of today's.
    """
    asked = _asked(criteria, blocks)
    return None if asked is None else downtime_s(planning, asked, 1 + len(planted(criteria))) / 60


def new_run_launches(criteria: Mapping[str, Any], blocks: int) -> int | None:
    """Launches of that run; none where the criteria allow no so many blocks, or are none of today's."""
    asked = _asked(criteria, blocks)
    return None if asked is None else most_launches(asked, 1 + len(planted(criteria)))


def _asked(criteria: Mapping[str, Any], blocks: int) -> Criteria | None:
    try:
        return Criteria.from_mapping({**criteria, "blocks": blocks}, "the run's criteria")
    except BadFileError:
        return None


def asks_for_identity(criteria: Mapping[str, Any]) -> bool:
    """Whether the criteria accept nothing whose text changed."""
    numerics = criteria.get("numerics")
    return not isinstance(numerics, Mapping) or numerics.get("policy", "identical") == "identical"


def no_use_in_more(criteria: Mapping[str, Any], verdict: Verdict) -> str | None:
    """Why more blocks would not help an AMBIGUOUS arm, none where they might."""
    if verdict.speed == "AMBIGUOUS" and verdict.numerics == "CHANGED" and asks_for_identity(criteria):
        return "its text CHANGED and the criteria ask for identical text: more blocks would not help"
    return None
