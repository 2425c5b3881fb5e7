"""Whether the next block would exceed the budget of server minutes: from the launches on record alone."""

from collections.abc import Sequence
from statistics import fmean

from harness.vocabulary.criteria import Criteria
from harness.vocabulary.outcome import Role
from ledger.entries import Launch


def spent_s(launches: Sequence[Launch]) -> float:
    """Seconds of every launch on record, broken attempts included."""
    return sum(launch.took_s or 0.0 for launch in launches)


def would_exceed(criteria: Criteria, launches: Sequence[Launch], more: int) -> bool:
    """Whether `more` launches like those so far, and production's start, would not fit any more.

    Production starts as long as a baseline does. Without a budget, or without times on record, nothing is exceeded.
    """
    timed = [launch.took_s for launch in launches if launch.took_s is not None]
    if criteria.budget is None or not timed:
        return False
    controls = [launch for launch in launches if launch.role == Role.BASELINE.value]
    starts = [launch.ready_s for launch in controls if launch.ready_s is not None]
    expected_s = spent_s(launches) + fmean(timed) * more + (fmean(starts) if starts else 0.0)
    return expected_s > 60 * criteria.budget.server_minutes
