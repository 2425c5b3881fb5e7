"""Criteria are complete before anything is measured."""

from typing import Any

import pytest

from harness.vocabulary.base import BadFileError
from harness.vocabulary.criteria import Criteria

GOOD: dict[str, Any] = {
    "schema": 1,
    "blocks": 4,
    "level": 0.05,
    "ladder": {"steps": [1, 2, 4, 2, 1], "tokens": 64},
    "primary": {"metric": "total_tok_s", "load": 4, "smallest_effect_pct": 10},
    "numerics": {"policy": "identical"},
}


def test_good_criteria_are_read() -> None:
    criteria = Criteria.from_mapping(GOOD, "criteria.toml")
    assert criteria.primary.load == 4
    assert criteria.ladder.steps == (1, 2, 4, 2, 1)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"primary": {"metric": "total_tok_s", "load": 8, "smallest_effect_pct": 10}}, "never reaches"),
        ({"primary": {"metric": "speed", "load": 4, "smallest_effect_pct": 10}}, "primary.metric"),
        ({"primary": {"metric": "total_tok_s", "load": 4, "smallest_effect_pct": 0}}, "smallest_effect_pct"),
        ({"guard": [{"metric": "ttft_ms", "load": 8, "margin_pct": 10}]}, "guard names load 8"),
        ({"numerics": {"policy": "report"}}, "needs a reason"),
        ({"numerics": {"policy": "quality", "reason": "r"}}, "needs min_quality"),
        ({"gates": ["ready", "vibes"]}, "gates"),
        ({"blocks": 1}, "blocks"),
        ({"level": 0.5}, "level"),
        ({"ladder": {"steps": [4, 0]}}, r"ladder\.steps\.1.*greater than or equal to 1"),
        ({"ladder": {"steps": [4, -2]}}, r"ladder\.steps\.1.*greater than or equal to 1"),
        ({"ladder": {"steps": [4, 1025]}}, r"ladder\.steps\.1.*less than or equal to 1024"),
        ({"ladder": {"steps": [4] * 65}}, r"ladder\.steps.*at most 64"),
        ({"ladder": {"steps": []}}, r"ladder\.steps.*at least 1"),
    ],
)
def test_incomplete_criteria_are_refused(change: dict[str, Any], said: str) -> None:
    with pytest.raises(BadFileError, match=said):
        Criteria.from_mapping({**GOOD, **change}, "criteria.toml")
