"""What a plan with looks comes to on average, foreseen by judging simulated runs with the code that will judge.

Normal theory would promise 0.96 power after 2.5 blocks where six blocks at 1 % spread give 0.91 after four.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from harness.verdicts.layout import CONTROLS, fit_moments
from harness.verdicts.looks import Rule, decide
from harness.verdicts.moments import Moments, drawn
from harness.vocabulary.outcome import Speed
from ledger.entries import Look

RUNS = 4_000  # a power of 0.9 to half a percent point
SEED = 20_261_130


@dataclass(frozen=True)
class Expectation:
    """What a plan with looks needs on average, in blocks of one arm, if the launches spread as assumed."""

    null: float  # an arm that does nothing
    planned: float  # an arm with just the planned gain
    most: int  # never more than this
    power: float  # chance of FASTER at the planned gain


def expectation(looks: Sequence[Look], rule: Rule, launch_sd_pct: float, arms: int) -> Expectation:
    """Of `arms` alike, none of which passes its share of the level on. Raises ValueError for a spread not above 0."""
    if not 0 < launch_sd_pct < math.inf:
        raise ValueError(f"the spread between launches must be above 0 percent, not {launch_sd_pct}")
    null, _ = _played(looks, rule, launch_sd_pct / 100, 0.0, arms)
    gain = math.log1p((rule.planned_effect_pct or rule.smallest_effect_pct) / 100)
    planned, power = _played(looks, rule, launch_sd_pct / 100, -gain if rule.lower_is_better else gain, arms)
    return Expectation(null, planned, looks[-1].blocks, power)


def _played(looks: Sequence[Look], rule: Rule, launch_sd: float, effect: float, arms: int) -> tuple[float, float]:
    """Blocks of an arm on average, and how often it ends FASTER, if every arm has this effect (log scale)."""
    generator = np.random.Generator(np.random.PCG64(SEED))
    gains = np.array([*(0.0,) * CONTROLS, *(effect / launch_sd,) * arms])
    blocks = np.full((RUNS, arms), looks[-1].blocks)
    going, faster = np.ones((RUNS, arms), dtype=np.bool_), np.zeros((RUNS, arms), dtype=np.bool_)
    seen: Moments | None = None
    for look in looks:
        more = drawn(look.blocks - (seen.blocks if seen else 0), arms + CONTROLS, RUNS, generator)
        seen = seen + more if seen else more
        shifted = Moments(seen.blocks, (seen.mean + gains - gains.mean()) * launch_sd, seen.scatter * launch_sd**2)
        said = decide(fit_moments(shifted), look, rule, np.full(RUNS, arms), np.zeros(arms, dtype=np.bool_))
        stops = going & ((said.words != Speed.AMBIGUOUS.value) | said.futile)
        faster |= going & (said.words == Speed.FASTER.value)
        blocks[stops] = look.blocks
        going &= ~stops
    return float(blocks.mean()), float(faster.mean())
