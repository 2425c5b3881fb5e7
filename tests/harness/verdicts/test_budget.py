"""The budget counts every launch, broken attempts too, and production's own start."""

import pytest

from harness.verdicts.budget import spent_s, would_exceed
from tests.harness.verdicts.played import Play, asking, rates


def played(took_s: float | None) -> Play:
    """Two blocks of three launches."""
    one = Play({"baseline": rates(0), "placebo": rates(0), "x": rates(2)}, asking(), took_s=took_s)
    for block in range(2):
        one.block(block, frozenset(one.arms))
    return one


@pytest.mark.parametrize(("minutes", "exceeds"), [(9.4, True), (9.6, False)])
def test_the_next_block_must_fit_with_productions_start(minutes: float, exceeds: bool) -> None:
    launches = played(60.0).launches
    assert spent_s(launches) == 360
    # six minutes are spent, three come, and production starts in half a minute like a baseline
    assert would_exceed(asking(budget={"server_minutes": minutes}), launches, 3) is exceeds


def test_without_a_budget_or_times_nothing_is_exceeded() -> None:
    assert not would_exceed(asking(), played(60.0).launches, 3)
    assert not would_exceed(asking(budget={"server_minutes": 1}), played(None).launches, 3)
