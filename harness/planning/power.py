"""Which effect a plan can see, and how many blocks an effect needs: the noncentral t of a one-sided bound.

An arm is compared with the mean of two controls in its block, so its mean log-ratio over n blocks has the variance
1.5 sigma^2 / n, where sigma is the standard deviation between launches of the natural log of the metric.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import scipy  # its parts load when they are first used

CONTROL_FACTOR = 1.5  # variance of arm minus mean of two controls, in units of one launch's: 1 + 1/2
# Level of the preliminary test that allows pooling. Such a test protects what follows, so its level is high (Bancroft's
# advice); at 0.05 it misses half of the arms that spread three times as much at four blocks. The figures are in
# docs/decisions/0001-verdicts.md. It also says how often a plan whose launches spread alike still ends unpooled.
POOLING_LEVEL = 0.25
# Up to so many arms a pooled spread is never too small for an arm because the *controls* spread more than the arms: the
# pooled variance of a comparison less the true one is (2 - k/2) (control - arm) / (k + 2), in variances of a launch.
SAFE_ARMS = 4
POWER = 0.9  # chance to see the effect that "visible" promises; the usual choice where a launch is dear
MOST_BLOCKS = 10_000  # beyond this nobody measures: the answer is "not with blocks"
MOST_KEPT = 1_000  # designs worked out before: many proposals have one design, and a root is found anew for each
LARGEST_LOG = 50.0  # a ratio of e^50 says nothing any more; keeps percentages finite


@dataclass(frozen=True)
class Design:
    """What fixes the width of a bound, apart from spread and number of blocks."""

    arms: int  # arms of the plan; the level is divided over them (Bonferroni)
    level: float  # one-sided error level of the whole run
    power: float = POWER
    pooled: bool | None = None  # whether the spread is pooled; none before the run, when the check has not been made

    def __post_init__(self) -> None:
        if self.arms < 1:
            raise ValueError(f"a design needs at least one arm, not {self.arms}")
        if not 0 < self.level < 0.5:
            raise ValueError(f"the level must lie between 0 and 0.5, not {self.level}")
        if not self.level < self.power < 1:
            raise ValueError(f"the power must lie between the level and 1, not {self.power}")

    def degrees_of_freedom(self, blocks: int, pooled: bool) -> int:
        """Pooled: (blocks - 1)(arms + 1), the residuals of blocks x (baseline, placebo, arms); else blocks - 1."""
        return (blocks - 1) * (self.arms + 1 if pooled else 1)

    def critical(self, blocks: int, pooled: bool) -> float:
        """Student quantile that each one-sided bound uses."""
        return -float(scipy.special.stdtrit(self.degrees_of_freedom(blocks, pooled), self.level / self.arms))


def share_tested(arms: int) -> float:
    """Share of the treatments that the check before pooling tests: the arms, and beyond SAFE_ARMS the controls too."""
    return arms / (arms + 2) if arms <= SAFE_ARMS else 1.0


def standard_error(launch_sd: float, blocks: int) -> float:
    """Standard error of an arm's mean log-ratio against the control."""
    return launch_sd * math.sqrt(CONTROL_FACTOR / blocks)


def visible_effect_pct(
    launch_sd_pct: float, blocks: int, arms: int, level: float, *, power: float = POWER, pooled: bool | None = None
) -> float:
    """Smallest true gain in percent whose lower bound is above 0 with probability `power`.

    Raises ValueError for a spread that is not a number of 0 or more, or fewer than 2 blocks.
    """
    design = Design(arms, level, power, pooled)
    _check(launch_sd_pct, blocks)
    margin = _noncentrality(design, blocks) * standard_error(launch_sd_pct / 100, blocks)
    return 100 * math.expm1(min(margin, LARGEST_LOG))


def blocks_needed(
    effect_pct: float,
    launch_sd_pct: float,
    arms: int,
    level: float,
    *,
    power: float = POWER,
    pooled: bool | None = None,
) -> int | None:
    """Fewest blocks that see a true gain of `effect_pct` with probability `power`; none if more than MOST_BLOCKS.

    Raises ValueError for an effect that is not above 0 or a spread that is not a number of 0 or more.
    """
    if not 0 < effect_pct < math.inf:
        raise ValueError(f"the effect must be above 0 percent, not {effect_pct}")
    _check(launch_sd_pct, 2)
    return blocks_for_margin(math.log1p(effect_pct / 100), launch_sd_pct / 100, Design(arms, level, power, pooled))


def blocks_for_margin(margin: float, launch_sd: float, design: Design) -> int | None:
    """Fewest blocks at which a bound `margin` (log scale) away is cleared with the design's power."""
    if not _sees(margin, launch_sd, design, MOST_BLOCKS):
        return None
    low, high = 1, MOST_BLOCKS
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _sees(margin, launch_sd, design, middle) else (middle, high)
    return high


def _sees(margin: float, launch_sd: float, design: Design, blocks: int) -> bool:
    if margin <= 0:
        return False
    error = standard_error(launch_sd, blocks)
    return error == 0 or margin / error >= _noncentrality(design, blocks)


@lru_cache(maxsize=MOST_KEPT)
def _noncentrality(design: Design, blocks: int) -> float:
    """The noncentrality at which the t statistic exceeds its critical value with the design's power.

    Before the run the power is that of both endings of the pooling check, weighted by how often launches that spread
    alike come to each.
    """
    sure = {pooled: _sure_noncentrality(design, blocks, pooled) for pooled in (True, False)}
    if design.pooled is not None or math.isclose(sure[True], sure[False]):
        return sure[design.pooled is not False]

    def too_little(shift: float) -> float:
        missed = [_missed(design, blocks, one, shift) for one in (True, False)]
        refused = POOLING_LEVEL * share_tested(design.arms)
        return (1 - refused) * missed[0] + refused * missed[1] - (1 - design.power)

    return float(scipy.optimize.brentq(too_little, sure[True], sure[False]))


def _missed(design: Design, blocks: int, pooled: bool, shift: float) -> float:
    """Chance that the t statistic stays below its critical value. scipy says NaN where that chance underflows."""
    chance = float(
        scipy.special.nctdtr(design.degrees_of_freedom(blocks, pooled), shift, design.critical(blocks, pooled))
    )
    return 0.0 if math.isnan(chance) else chance


def _sure_noncentrality(design: Design, blocks: int, pooled: bool) -> float:
    freedom, critical = design.degrees_of_freedom(blocks, pooled), design.critical(blocks, pooled)
    return float(scipy.special.nctdtrinc(freedom, 1 - design.power, critical))


def _check(launch_sd_pct: float, blocks: int) -> None:
    if not 0 <= launch_sd_pct < math.inf:
        raise ValueError(f"the spread between launches must be 0 percent or more, not {launch_sd_pct}")
    if blocks < 2:
        raise ValueError(f"a plan needs at least 2 blocks, not {blocks}")
