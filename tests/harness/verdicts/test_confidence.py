"""The level of bounds as people read it."""

from harness.verdicts.confidence import confidence_of
from ledger.entries import Verdict
from tests.harness.verdicts.test_acceptance import verdict


def at(level: float) -> Verdict:
    made = verdict(1.0)
    assert made.interval is not None
    return made.model_copy(update={"interval": made.interval.model_copy(update={"level": level})})


def test_one_bound_and_both_together() -> None:
    found = confidence_of([at(0.05 / 3)])
    assert found is not None and (found.each, found.both) == ("98.3", "96.7")
    assert found.words == "bounds: one-sided at 98.3 % each, 96.7 % between them"
    small = confidence_of([at(0.0005)])
    assert small is not None and (small.each, small.both) == ("99.95", "99.9")


def test_several_levels_are_a_range_and_no_interval_has_none() -> None:
    found = confidence_of([at(0.025), at(0.05), at(0.03)])
    assert found is not None and (found.each, found.both) == ("95 to 97.5", "90 to 95")
    assert confidence_of([verdict(0).model_copy(update={"interval": None})]) is None
