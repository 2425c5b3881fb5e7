"""What a later verdict says about an acceptance: only one that is decided otherwise contradicts it."""

from typing import Any

import pytest

from committee.deploy.judging import judged
from harness.vocabulary.criteria import Criteria
from ledger.entries import Interval
from tests.harness.workflow.bench_yard import CRITERIA
from tests.ledger.examples import INTERVAL, verdict

LESS = INTERVAL.model_copy(update={"estimate_pct": 15.0, "low_pct": 11.0, "high_pct": 19.0})
NONE: dict[str, Any] = {"validity": "NOT_ARMED", "speed": None, "interval": None}


@pytest.mark.parametrize(
    ("now", "overturned", "words"),
    [
        ({}, False, "total_tok_s at 4 users is FASTER again, +44.5 % (+30.2 to +60.0)"),
        ({"interval": LESS}, False, "less than the +44.5 % (+30.2 to +60.0) that was accepted: the intervals do not"),
        ({"speed": "SAME"}, True, "is SAME now, +44.5 % (+30.2 to +60.0); accepted was FASTER, +44.5 %"),
        ({"speed": "SLOWER"}, True, "is SLOWER now"),
        ({"speed": "AMBIGUOUS"}, False, "is AMBIGUOUS now, +44.5 % (+30.2 to +60.0): not contradicted, not confirmed"),
        (NONE, False, "is NOT_ARMED now, so nothing is known against it"),
    ],
)  # fmt: skip
def test_only_what_is_decided_otherwise_contradicts(now: dict[str, Any], overturned: bool, words: str) -> None:
    said = judged(Criteria.model_validate(CRITERIA), verdict(), verdict(**now), ())
    assert said.overturned is overturned and words in said.detail


def test_a_capability_that_does_not_hold_any_more_contradicts() -> None:
    wanted = {"check": "context_tokens", "value": 8192}
    criteria = Criteria.model_validate(CRITERIA | {"capability": wanted})
    lost = "capability context_tokens 8192 did not hold on every launch of the arm"
    assert judged(criteria, verdict(speed="SAME"), verdict(speed="SAME"), ()).overturned is False
    said = judged(criteria, verdict(speed="SAME"), verdict(speed="SAME"), ("guard x", lost))
    assert (said.overturned, said.detail) == (True, lost)


def test_intervals_that_meet_are_not_told_apart() -> None:
    near = Interval.model_validate(INTERVAL.model_dump() | {"low_pct": 20.0})
    said = judged(Criteria.model_validate(CRITERIA), verdict(), verdict(interval=near), ())
    assert "do not meet" not in said.detail
