"""What is shown of a guard, how much worse it may be, and the blocks that would show that it holds."""

import math

import pytest
from scipy import stats

from harness.verdicts.guards import Guarded, guard_blocks, guarded, worst_pct
from harness.vocabulary.criteria import Guard
from harness.vocabulary.outcome import Metric
from ledger.entries import Verdict
from tests.harness.verdicts.test_acceptance import GUARD, verdict

FREEDOM, BLOCKS = 15, 4  # of the verdicts of `verdict`
TTFT = Guard(metric=Metric.TTFT_MS, load=4, margin_pct=5)


def unpooled(estimate_pct: float, sd_pct: float) -> Verdict:
    made = verdict(estimate_pct, sd_pct=sd_pct)
    assert made.interval is not None
    return made.model_copy(update={"interval": made.interval.model_copy(update={"pooled": False})})


@pytest.mark.parametrize(
    ("estimate_pct", "word"), [(0.0, Guarded.HELD), (-3.0, Guarded.OPEN), (-6.0, Guarded.OPEN), (-9.0, Guarded.BROKEN)]
)
def test_a_guard_is_held_open_or_broken_by_its_bounds(estimate_pct: float, word: Guarded) -> None:
    half = stats.t.isf(0.05, FREEDOM) * 0.02 * math.sqrt(1.5 / BLOCKS)
    better, margin = math.log1p(estimate_pct / 100), -math.log(1.05)
    wanted = Guarded.HELD if better - half > margin else Guarded.BROKEN if better + half < margin else Guarded.OPEN
    assert guarded(verdict(estimate_pct), GUARD, 0.05) is wanted is word


def test_how_much_worse_it_may_be_is_written_as_the_margin_is() -> None:
    """At the edge of holding both metrics may be exactly the margin worse, whichever way is worse."""
    half = stats.t.isf(0.05, FREEDOM) * 0.02 * math.sqrt(1.5 / BLOCKS)
    rate = verdict(100 * math.expm1(half - math.log(1.05)))
    wait = verdict(100 * math.expm1(math.log(1.05) - half), metric=Metric.TTFT_MS)
    assert worst_pct(rate, GUARD, 0.05) == pytest.approx(5.0)
    assert worst_pct(wait, TTFT, 0.05) == pytest.approx(5.0)
    better = worst_pct(verdict(20.0), GUARD, 0.05)
    assert better is not None and better < 0
    bare = verdict(0).model_copy(update={"interval": None})
    assert (worst_pct(bare, GUARD, 0.05), guarded(bare, GUARD, 0.05)) == (None, Guarded.OPEN)


def test_the_blocks_are_those_of_the_guards_own_bound() -> None:
    """The smallest run whose one-sided t test at the undivided level clears the margin in nine of ten."""

    def chance(blocks: int) -> float:
        shift = (math.log1p(-0.02) + math.log(1.05)) / (0.04 * math.sqrt(1.5 / blocks))
        return float(stats.nct.sf(stats.t.isf(0.05, blocks - 1), blocks - 1, shift))

    wanted = next(blocks for blocks in range(2, 200) if chance(blocks) >= 0.9)
    assert guard_blocks(unpooled(-2.0, 4.0), GUARD, 0.05) == wanted == 27
    assert guard_blocks(verdict(-2.0, sd_pct=4.0), GUARD, 0.05) in range(wanted - 2, wanted)  # pooled over 3 treatments


def test_no_number_of_blocks_shows_what_was_seen_to_be_beyond_the_margin() -> None:
    assert guard_blocks(verdict(-6.0), GUARD, 0.05) is None
    assert guard_blocks(verdict(0).model_copy(update={"interval": None}), GUARD, 0.05) is None
    assert guard_blocks(verdict(-3.0, sd_pct=0.01), GUARD, 0.05) == BLOCKS + 1  # never fewer than were measured
