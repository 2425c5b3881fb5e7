"""A prediction is held against the newest number on its arm, metric and load; an interval that allows both says so."""

import math
from typing import Any

import pytest

from committee.score.predictions import Outcome, Scored, record, score
from ledger.entries import Prediction, Verdict
from tests.committee.fuse.sample import make_arm, make_hypothesis, make_prediction
from tests.ledger.examples import INTERVAL, verdict

HYPOTHESIS = make_hypothesis("glm", 1, make_arm("four-slots", n_parallel=4))


def measured(estimate: float, half: float = 1.0, speed: str | None = None, **changed: Any) -> Verdict:
    """A verdict on the hypothesis' arm with that change of total_tok_s at load 4."""
    span = INTERVAL.model_copy(
        update={"estimate_pct": estimate, "low_pct": estimate - half, "high_pct": estimate + half}
    )
    fields = {"arm": HYPOTHESIS.arm_fingerprint, "metric": "total_tok_s", "load": 4, "interval": span, "speed": speed}
    return verdict().model_copy(update=fields | changed)


def scored(direction: Any, *verdicts: Verdict) -> Scored:
    told = HYPOTHESIS.model_copy(update={"prediction": make_prediction(direction)})
    return score(told, verdicts)


@pytest.mark.parametrize(
    ("direction", "estimate", "half", "speed", "outcome"),
    [
        ("up", 10, 1, "FASTER", Outcome.CONFIRMED),
        ("up", -10, 1, "SLOWER", Outcome.REFUTED),
        ("down", -10, 1, "SLOWER", Outcome.CONFIRMED),
        ("up", 0.5, 0.4, "SAME", Outcome.REFUTED),  # above 0 for certain, and too small to matter
        ("same", 0.5, 0.4, "SAME", Outcome.CONFIRMED),
        ("same", 10, 1, "FASTER", Outcome.REFUTED),
        ("up", 3, 5, "AMBIGUOUS", Outcome.UNDECIDED),
        ("same", 3, 5, "AMBIGUOUS", Outcome.UNDECIDED),
    ],
)
def test_outcomes(direction: str, estimate: float, half: float, speed: str, outcome: Outcome) -> None:
    assert scored(direction, measured(estimate, half, speed)).outcome is outcome


@pytest.mark.parametrize(
    "other",
    [{"arm": "0" * 64}, {"metric": "user_tok_s"}, {"load": 1}, {"interval": None}],
)
def test_what_was_not_measured_is_neither_right_nor_wrong(other: dict[str, Any]) -> None:
    one = scored("up", measured(10, speed="FASTER", **other))
    assert (one.outcome, one.verdict, one.inside, one.decided) == (Outcome.NOT_MEASURED, None, None, False)


def test_the_newest_number_counts() -> None:
    one = scored("up", measured(10, speed="FASTER"), measured(-10, speed="SLOWER"))
    assert one.outcome is Outcome.REFUTED and one.inside is False
    assert scored("up", measured(10, speed="FASTER")).inside is True, "5 to 20 was predicted"


def test_a_record_counts_each_once() -> None:
    said = make_prediction("up").model_copy(update={"confidence": 0.9})
    sure = HYPOTHESIS.model_copy(update={"prediction": said})
    found = [
        score(sure, [measured(10, speed="FASTER")]),
        score(sure, [measured(-10, speed="SLOWER")]),
        score(sure, [measured(3, 5, "AMBIGUOUS")]),
        score(sure, []),
        scored("up", measured(10, speed="FASTER")),
        score(sure.model_copy(update={"reviewer": "other"}), []),
    ]
    one = record("glm", found)
    assert (one.hypotheses, one.measured, one.decided, one.confirmed, one.inside) == (5, 4, 3, 2, 2)
    assert one.hit_rate == pytest.approx(2 / 3)
    assert one.brier == pytest.approx((0.1**2 + 0.9**2) / 2), "only decided predictions with a stated confidence count"
    assert record("nobody", found).hit_rate is None and record("nobody", found).brier is None


def ranked(pairs: list[tuple[float, float]], run: str = "m-000001") -> list[Scored]:
    """One prediction and measurement for each pair of percents."""
    found = []
    for said, seen in pairs:
        prediction = Prediction(metric="total_tok_s", load=4, direction="up", low_pct=said - 1, high_pct=said + 1)
        told = HYPOTHESIS.model_copy(update={"prediction": prediction})
        found.append(score(told, [measured(seen, run=run)]))
    return found


def test_ranks_agree_or_oppose_and_say_how_sure() -> None:
    pairs = [(1.0, 10.0), (2.0, 20.0), (3.0, 30.0), (4.0, 25.0), (5.0, 50.0)]
    ranks = record("glm", ranked(pairs)).ranks
    assert ranks is not None and ranks.rho == pytest.approx(0.9) and ranks.pairs == 5
    half = 1.959964 * math.sqrt(1.06 / 2)
    assert ranks.low == pytest.approx(math.tanh(math.atanh(0.9) - half))
    assert ranks.high == pytest.approx(math.tanh(math.atanh(0.9) + half))
    assert record("glm", ranked(pairs[:3])).ranks is None, "three arms say nothing"
    assert record("glm", ranked([(1.0, x) for x, _ in pairs])).ranks is None, "one prediction for all is no order"


def test_arms_of_different_runs_are_not_ranked_against_each_other() -> None:
    upwards = [(1.0, 1.0), (2.0, 2.0), (3.0, 3.0), (4.0, 4.0)]
    far = [(said, seen + 100) for said, seen in upwards[::-1]]
    ranks = record("glm", [*ranked(upwards), *ranked(far, "m-000002")]).ranks
    assert ranks is not None and ranks.rho == pytest.approx(0.999) and ranks.pairs == 8
