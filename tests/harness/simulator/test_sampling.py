"""Starts by the thousand: spread, drift, walk and effects are what was asked for; one process's start as well."""

from pathlib import Path

import numpy as np
import pytest

from harness.simulator.faults import Faults
from harness.simulator.launches import count_start, speed_of
from harness.simulator.sampling import Starts
from harness.simulator.settings import Settings, acts_on, numbers, option_parser, own_settings


def settings(*words: str) -> Settings:
    parsed, _ = option_parser().parse_known_args(words)
    return Settings(own_settings(parsed), {}, Faults())


def test_spread_and_effects_are_the_ones_asked_for() -> None:
    rates = Starts(sd_pct=4.7).log_metrics(np.array([0.0, 0.0, 3.0]), 20_000, np.random.default_rng(1))
    assert rates.shape == (20_000, 3)
    assert rates.std(axis=0) == pytest.approx([0.047] * 3, rel=0.02)
    assert rates[:, 2].mean() - rates[:, 0].mean() == pytest.approx(np.log(1.03), abs=0.002)


def test_drift_falls_on_all_roles_alike() -> None:
    starts = Starts(sd_pct=0.0, drift_pct=0.1)
    rates = starts.log_metrics(np.zeros(4), 4_000, np.random.default_rng(2))
    assert rates[-1].mean() - rates[0].mean() == pytest.approx(-0.001 * 4 * 3_999, rel=0.001)
    differences = rates - rates.mean(axis=1, keepdims=True)
    assert np.abs(differences.mean(axis=0)).max() < 1e-4


def test_what_a_block_shares_and_a_walk_spread_blocks_not_differences() -> None:
    rates = Starts(sd_pct=0.0, block_sd_pct=5.0).log_metrics(np.zeros(2), 20_000, np.random.default_rng(3))
    assert (rates[:, 0] - rates[:, 1]).std() == 0 and rates[:, 0].std() == pytest.approx(0.05, rel=0.03)
    walk = Starts(sd_pct=0.0, walk_sd_pct=1.0).log_metrics(np.zeros(1), 20_000, np.random.default_rng(4))
    assert np.diff(walk[:, 0]).std() == pytest.approx(0.01, rel=0.03)


def test_the_same_start_is_always_as_fast_and_others_are_not() -> None:
    spread = settings("--launch-sd-pct", "4.7")
    assert speed_of(spread, 1, "a") == speed_of(spread, 1, "a") != speed_of(spread, 1, "b")
    logs = np.log([speed_of(spread, 1, f"run.b{block}") for block in range(3_000)])
    assert logs.std() == pytest.approx(0.047, rel=0.05) and logs.mean() == pytest.approx(0.0, abs=0.003)


def test_speed_drift_and_walk_of_one_start() -> None:
    assert speed_of(settings("--speed-pct", "3"), 5, "a") == pytest.approx(1.03)
    assert speed_of(settings("--drift-pct", "1"), 3, "a") == pytest.approx(np.exp(-0.02))
    walk = settings("--walk-sd-pct", "1")
    assert speed_of(walk, 1, "a") == 1.0 != speed_of(walk, 2, "a")


def test_starts_are_counted_in_a_file(tmp_path: Path) -> None:
    path = str(tmp_path / "starts")
    assert [count_start(path) for _ in range(3)] == [1, 2, 3] and count_start("") == 1


def test_faults_act_in_the_starts_they_are_told() -> None:
    assert acts_on("", 7) and acts_on("2,5", 5) and acts_on("3-", 9) and acts_on("3-4", 4)
    assert not acts_on("2,5", 3) and not acts_on("3-", 2) and not acts_on("3-4", 5)
    assert numbers("256, 512,") == (256, 512)
