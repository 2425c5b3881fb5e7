"""The simulated error rates come from the code that judges real runs."""

import numpy as np
import pytest
from scipy import stats

from benchmarks.decisions import Plan, World, count, judge, main, plans, upper
from harness.verdicts import assemble
from tests.harness.verdicts.records import criteria, record

DEMO = Plan("demo", arms=4, level=0.05, effect_pct=10, blocks=4, spread_pct=4.7)


def test_two_hundred_random_runs_are_judged_as_the_whole_line_judges_them() -> None:
    generator = np.random.default_rng(11)
    logs = generator.normal(0, 0.06, (200, 4, 4)) + np.array([0, 0, 0.15, -0.05])
    plan = Plan("pair", arms=2, level=0.05, effect_pct=10, blocks=4, spread_pct=6)
    void, words = judge(logs, plan)
    for index, one in enumerate(np.exp(logs)):
        named = dict(zip(("baseline", "placebo", "x", "y"), one.T.tolist(), strict=True))
        made = record(named, criteria=criteria())
        whole = assemble(made.run, made.criteria, made.by_fingerprint, made.evidence, 1.0)
        assert (whole.void is not None) == bool(void[index])
        said = [verdict.speed for verdict in whole.verdicts]
        assert said == ([None, None] if void[index] else words[index].tolist())


def test_error_rates_stay_at_the_level() -> None:
    null = count(DEMO, World(), 4_000, seed=2)
    assert upper(null.any_faster, 4_000) < 0.05 and upper(null.void, 4_000) < 0.02
    edge = count(DEMO, World(10), 4_000, seed=2)
    assert edge.any_same / 4_000 < 0.055
    assert null.once_above_two / 4_000 > 0.5 and null.hyperloom / 4_000 > 0.5


def test_the_upper_bound_is_clopper_and_pearsons() -> None:
    assert upper(3, 1000) == pytest.approx(stats.binomtest(3, 1000).proportion_ci(0.90, method="exact").high)
    assert upper(5, 5) == 1


def test_the_strict_design_takes_its_blocks_from_planning() -> None:
    assert [(plan.name, plan.blocks) for plan in plans()] == [
        ("demo", 4), ("demo", 4), ("demo", 4), ("strict", 5), ("strict", 51), ("strict", 145),
    ]  # fmt: skip


def test_it_prints_every_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--runs", "20"]) == 0
    printed = capsys.readouterr().out
    assert printed.count("|---|") >= 5 and "20 runs a figure, seed 1" in printed
