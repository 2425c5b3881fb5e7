"""Shares of the level that are passed on make no wrong word more frequent than the level."""

import pytest

from benchmarks.decisions_shares import main, wrong
from benchmarks.looks_world import Case


def test_a_null_arm_with_the_whole_level_is_rarely_called_slower_or_faster() -> None:
    tally = wrong(Case(2, 1.0, gives_up=False), (0.0, 8.0), 3_000, seed=3)
    assert tally.passed_on > 0.9 * tally.runs
    assert 0 < tally.slower < 0.012 * tally.runs and tally.faster < 0.012 * tally.runs


def test_a_word_that_is_right_is_not_counted() -> None:
    tally = wrong(Case(2, 1.0, gives_up=False), (-8.0, 8.0), 200, seed=3)
    assert tally.faster == tally.slower == 0


@pytest.mark.system
def test_the_table_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--runs", "50"]) == 0
    assert capsys.readouterr().out.count("\n| ") == 16
