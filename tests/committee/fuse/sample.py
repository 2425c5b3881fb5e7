"""Hypotheses for tests, written as a review run writes them."""

from typing import Any, Literal

from committee.fuse.arms import parse_arm
from ledger.canonical import digest
from ledger.entries import Citation, Hypothesis, Prediction

Direction = Literal["up", "down", "same"]
INTERVALS: dict[Direction, tuple[float, float]] = {"up": (5, 20), "down": (-20, -5), "same": (-2, 2)}


def make_prediction(direction: Direction = "up", metric: str = "total_tok_s", load: int = 4) -> Prediction:
    """A prediction in that direction."""
    low, high = INTERVALS[direction]
    return Prediction(metric=metric, load=load, direction=direction, low_pct=low, high_pct=high)


def make_hypothesis(
    reviewer: str, number: int, arm: dict[str, Any] | None, prediction: Prediction | None = None, **changed: Any
) -> Hypothesis:
    """One hypothesis; its fingerprint is computed as the review side does."""
    parsed = parse_arm(arm) if arm is not None else None
    said = prediction or make_prediction()
    fields: dict[str, Any] = {
        "hypothesis": f"review-000000/{reviewer}/{number}",
        "run": "review-000000",
        "reviewer": reviewer,
        "mechanism": f"mechanism {number} of {reviewer}",
        "prediction": said,
        "prediction_sha256": digest(said.model_dump(mode="json")),
        "falsifier": "no change",
        "citations": (Citation(file="PROPOSAL.md", line=1, quote="words"),),
        "arm": arm,
        "arm_fingerprint": None if parsed is None or isinstance(parsed, str) else parsed.fingerprint,
        "not_runnable": parsed if isinstance(parsed, str) else None,
    }
    return Hypothesis.model_validate({**fields, **changed})


def make_arm(name: str, **flags: Any) -> dict[str, Any]:
    """An arm as a reviewer writes it."""
    return {"name": name, "flags": {key.replace("_", "-"): value for key, value in flags.items()}}
