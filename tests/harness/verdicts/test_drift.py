"""Order and drift are told apart: each is found where it was put, and not where it was not."""

import numpy as np
import pytest

from harness.verdicts.cells import Layout, layout
from harness.verdicts.drift import drift
from tests.harness.verdicts.played import Play, asking

KEY = ("total_tok_s", 4)


def made(per_place: float, per_block: float, gain: float = 0.05) -> Layout:
    """Ten blocks in which each later place and each later block changes the number by so much."""
    generator = np.random.default_rng(3)
    names = ("baseline", "placebo", "fast")
    one = Play({name: [100.0] * 10 for name in names}, asking())
    arms = one.arms
    values: dict[str, list[float]] = {name: [] for name in names}
    for slot in sorted(one.run.slots, key=lambda slot: slot.block):
        name = arms[slot.arm].name if slot.arm else slot.role
        level = per_place * slot.position + per_block * slot.block + (gain if name == "fast" else 0.0)
        values[name].append(100 * float(np.exp(level + generator.normal(0, 0.001))))
    played = Play(values, asking())
    for block in range(10):
        played.block(block, frozenset(arms))
    return layout(played.run, played.criteria, played.evidence)


def test_an_effect_of_order_is_seen_and_drift_is_not() -> None:
    seen = drift(made(per_place=0.02, per_block=0.0), KEY)
    assert seen.position is not None and seen.position.is_seen
    assert seen.position.estimate_pct == pytest.approx(2.02, abs=0.1)
    assert seen.moved_pct < 1.0, "the orders are balanced, so little of it reaches an arm's change"


def test_drift_is_seen_and_order_is_not() -> None:
    seen = drift(made(per_place=0.0, per_block=0.03), KEY)
    assert seen.block is not None and seen.block.is_seen
    assert seen.block.estimate_pct == pytest.approx(3.05, abs=0.1)
    assert seen.position is not None and abs(seen.position.estimate_pct) < 0.1
    first, second = seen.sentences(KEY)
    assert "no effect of order is seen" in first and "the machine drifted" in second


def test_too_few_launches_say_nothing() -> None:
    empty = drift(made(0, 0).within(()), KEY)
    assert (empty.position, empty.block, empty.sentences(KEY)) == (None, None, ())
    assert drift(made(0, 0).within((0,)), KEY).sentences(KEY) == ()
