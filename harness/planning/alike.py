"""Three alike, stop (lesson M16): failures that look alike mean a wrong assumption, not a wrong implementation. Pure.

An arm that fails alike is no reason to give up a night in which other arms are sound: it is then the arm's assumption
that is wrong, and its verdict says so.
"""

from collections.abc import Sequence
from dataclasses import dataclass

ALIKE = 3  # lesson M16


@dataclass(frozen=True)
class Ending:
    """How one launch of a plan ended."""

    name: str  # baseline, placebo or the arm's name
    arm: str | None  # the arm's fingerprint, none for baseline and placebo
    reason: str | None  # reason code, none where it carries numbers


def three_alike(endings: Sequence[Ending]) -> str | None:
    """Why the plan must stop, in one sentence; none while it may go on.

    It stops when `ALIKE` launches ended in one reason code, unless they are all of one arm while another arm is sound.
    `endings` are those of one start of the plan: whoever goes on after a stop has changed something.
    """
    for reason in dict.fromkeys(ending.reason for ending in endings if ending.reason is not None):
        same = [ending for ending in endings if ending.reason == reason]
        if len(same) < ALIKE or _one_arms_own(same, endings):
            continue
        names = ", ".join(dict.fromkeys(ending.name for ending in same))
        return (
            f"{len(same)} launches ended in {reason} ({names}): three failures that look alike mean that the "
            "assumption is wrong, not the implementation; finished blocks are kept; change the method, then go on "
            "with the same order or order a new run"
        )
    return None


def _one_arms_own(same: Sequence[Ending], endings: Sequence[Ending]) -> bool:
    """Whether all of them are launches of one arm, and some other arm of the plan still carries numbers."""
    arms = {ending.arm for ending in same}
    if len(arms) > 1 or None in arms:
        return False
    others = {ending.arm for ending in endings if ending.arm is not None} - arms
    return any(all(ending.reason is None for ending in endings if ending.arm == other) for other in others)
