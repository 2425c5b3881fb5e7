"""Amdahl's ceiling: right for rates and times, silent where the table does not speak of the claim."""

from typing import Any

import pytest

from committee.brief.ceiling import ceiling
from committee.vocabulary.steps import StepTable, most_pct
from harness.vocabulary.base import BadFileError
from ledger.entries import Prediction
from tests.committee.fuse.sample import make_hypothesis

DECODE: dict[str, Any] = {
    "schema": 1, "phase": "decode", "load": 8, "step_ms": 10, "measured": "nsys, 500 steps",
    "part": [{"name": "attention", "ms": 2}, {"name": "all", "ms": 8}],
}  # fmt: skip


def said(metric: str, low: float, high: float, load: int = 8, part: str | None = "attention") -> Any:
    """The ceiling of one claim under a decode and a prefill table."""
    direction = "up" if low > 0 else "down"
    prediction = Prediction(metric=metric, load=load, direction=direction, low_pct=low, high_pct=high)
    prefill = DECODE | {"phase": "prefill", "load": 1}
    tables = [StepTable.from_mapping(DECODE, "a"), StepTable.from_mapping(prefill, "b")]
    return ceiling(make_hypothesis("ada", 1, None, prediction, part=part), tables)


@pytest.mark.parametrize(
    ("share", "metric", "expected"),
    [
        (0.2, "total_tok_s", 25.0),
        (0.5, "user_tok_s", 100.0),
        (0.2, "ttft_ms", 20.0),
        (1.0, "total_tok_s", None),
        (1.0, "ttft_ms", 100.0),
        (0.75, "prefill_tok_s", 300.0),
    ],
)
def test_amdahls_law(share: float, metric: str, expected: float | None) -> None:
    assert most_pct(share, metric) == (None if expected is None else pytest.approx(expected))


@pytest.mark.parametrize(
    ("claim", "most", "above"),
    [
        (("total_tok_s", 5, 25, 8), 25.0, False),
        (("total_tok_s", 5, 26, 8), 25.0, True),
        (("ttft_ms", -20, -5, 1), 20.0, False),
        (("ttft_ms", -21, -5, 1), 20.0, True),
    ],
)
def test_a_claim_above_its_ceiling(claim: tuple[str, float, float, int], most: float, above: bool) -> None:
    found = said(*claim)
    assert (found.most_pct, found.above) == (pytest.approx(most), above)


@pytest.mark.parametrize(
    ("metric", "low", "high", "load", "part"),
    [
        ("total_tok_s", 5, 25, 4, "attention"),  # measured at another load
        ("total_tok_s", 5, 25, 8, None),  # names no part
        ("total_tok_s", 5, 25, 8, "sampling"),  # names a part that the table has not
        ("ttft_ms", -20, -5, 8, "attention"),  # a decode table says nothing of a prefill's time
        ("total_tok_s", -20, -5, 8, "attention"),  # no gain is claimed
    ],
)
def test_where_no_table_speaks_there_is_no_ceiling(
    metric: str, low: float, high: float, load: int, part: str | None
) -> None:
    assert said(metric, low, high, load, part) is None


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"part": [{"name": "a", "ms": 6}, {"name": "b", "ms": 6}]}, "add up to 12 ms, more than the step of 10 ms"),
        ({"part": [{"name": "a", "ms": 1}, {"name": "a", "ms": 1}]}, "two parts have one name"),
        ({"part": []}, "needs at least 1"),
    ],
)
def test_a_table_that_cannot_be_right_is_refused(change: dict[str, Any], words: str) -> None:
    with pytest.raises(BadFileError, match=words):
        StepTable.from_mapping(DECODE | change, "evidence/step-time.toml")
