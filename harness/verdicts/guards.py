"""What a verdict says of a guard: held, open or broken, how much worse at worst, which blocks would show it. Pure.

Non-inferiority: one-sided, at the level that is not divided over arms. One arm is accepted at a time, and a guard only
ever takes away.
"""

import math
from enum import StrEnum

import scipy  # its parts load when they are first used

from harness.planning.power import LARGEST_LOG, Design, blocks_for_margin, standard_error
from harness.vocabulary.criteria import Guard
from harness.vocabulary.metrics import lower_is_better
from harness.vocabulary.outcome import Validity
from ledger.entries import Verdict


class Guarded(StrEnum):
    """What is shown of a guard."""

    HELD = "held"  # it is no worse than its margin
    OPEN = "open"  # neither is shown
    BROKEN = "broken"  # it is worse than its margin


def guard_holds(verdict: Verdict, guard: Guard, level: float) -> bool:
    """Whether the one-sided bound on the bad side, at the undivided level, is better than the margin.

    Without an interval it does not hold. Raises ValueError if the verdict is about another metric or load.
    """
    return guarded(verdict, guard, level) is Guarded.HELD


def guarded(verdict: Verdict, guard: Guard, level: float) -> Guarded:
    """Held if the bound on the bad side is better than the margin, broken if that on the good side is worse than it.

    Open without an interval. Raises ValueError if the verdict is about another metric or load.
    """
    seen = _seen(verdict, guard, level)
    if seen is None:
        return Guarded.OPEN
    better, half = seen
    bound, margin = better - half, -math.log1p(guard.margin_pct / 100)
    if bound > margin:
        return Guarded.HELD
    return Guarded.BROKEN if better + half < margin else Guarded.OPEN


def worst_pct(verdict: Verdict, guard: Guard, level: float) -> float | None:
    """How much worse the metric may be at that bound, percent, as the margin is written; below 0 where it is better.

    None without an interval. Raises ValueError if the verdict is about another metric or load.
    """
    seen = _seen(verdict, guard, level)
    return None if seen is None else 100 * math.expm1(min(seen[1] - seen[0], LARGEST_LOG))


def guard_blocks(verdict: Verdict, guard: Guard, level: float) -> int | None:
    """Blocks of a new run of this arm alone that would show that the guard holds, if its change stays as it was seen.

    With the planning's own power, for a bound at the undivided level; more than were measured. None without an
    interval, where what was seen is itself beyond the margin, or where 10,000 blocks would not do. Raises ValueError
    if the verdict is about another metric or load.
    """
    seen, interval = _seen(verdict, guard, level), verdict.interval
    if seen is None or interval is None:
        return None
    margin = seen[0] + math.log1p(guard.margin_pct / 100)
    design = Design(1, interval.nominal_level or level, pooled=None if interval.pooled else False)
    needed = blocks_for_margin(margin, interval.launch_sd_pct / 100, design)
    return None if needed is None else max(verdict.blocks + 1, needed)


def _seen(verdict: Verdict, guard: Guard, level: float) -> tuple[float, float] | None:
    """Log scale, positive is better: the change, and how far each one-sided bound lies from it."""
    if (verdict.metric, verdict.load) != (guard.name, guard.load):
        raise ValueError(
            f"a verdict on {verdict.metric} at load {verdict.load} cannot judge guard {guard.name} at {guard.load}"
        )
    interval = verdict.interval
    if interval is None or verdict.validity != Validity.VALID:
        return None
    sign = -1 if lower_is_better(guard.name) else 1
    better = sign * math.log1p(interval.estimate_pct / 100)
    error = standard_error(interval.launch_sd_pct / 100, verdict.blocks)
    used = interval.nominal_level or level  # after looks only the look's own level holds
    return better, -float(scipy.special.stdtrit(interval.degrees_of_freedom, used)) * error
