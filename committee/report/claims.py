"""Pure: what each reviewer claimed beside what was measured; the two are kept apart and never mixed (lesson C3)."""

from collections.abc import Sequence
from dataclasses import dataclass

from committee.report.history import History
from committee.report.runs import RunView
from committee.report.words import metric_words, percent, span
from ledger.entries import Hypothesis, ReviewRun, Verdict


@dataclass(frozen=True)
class Claim:
    """One hypothesis and the newest measurement of its arm at the load it speaks of."""

    reviewer: str
    label: str  # live, recorded, small CPU model
    mechanism: str
    predicted: str
    falsifier: str
    arm: str  # the arm's name, or why there is none
    measured: str


def claims(history: History, views: Sequence[RunView], run: ReviewRun) -> tuple[Claim, ...]:
    """Every hypothesis of a review run, in recorded order, also those without an arm."""
    labels = {seat.name: seat.label for seat in run.reviewers}
    return tuple(
        Claim(
            reviewer=item.payload.reviewer,
            label=labels.get(item.payload.reviewer, "unknown"),
            mechanism=item.payload.mechanism,
            predicted=_predicted(item.payload),
            falsifier=item.payload.falsifier,
            arm=_arm(history, item.payload),
            measured=_measured(views, item.payload),
        )
        for item in history.hypotheses
        if item.payload.run == run.run
    )


def _predicted(claim: Hypothesis) -> str:
    said = claim.prediction
    return f"{metric_words(said.metric, said.load)} {said.direction}, {span(said.low_pct, said.high_pct)}"


def _arm(history: History, claim: Hypothesis) -> str:
    if claim.not_runnable:
        return f"cannot be run: {claim.not_runnable}"
    return history.arm_name(claim.arm_fingerprint) if claim.arm_fingerprint else "no arm"


def _measured(views: Sequence[RunView], claim: Hypothesis) -> str:
    found: list[Verdict] = [
        item.payload
        for view in views
        if not view.void
        for item in view.verdicts
        if item.payload.arm == claim.arm_fingerprint
        and (item.payload.metric, item.payload.load) == (claim.prediction.metric, claim.prediction.load)
    ]
    if not found:
        return "not measured"
    last = found[-1]
    if last.interval is None or last.speed is None:
        return f"no number ({last.validity})"
    interval = last.interval
    bounds = span(interval.low_pct, interval.high_pct)
    return f"{percent(interval.estimate_pct)} ({bounds}), {last.speed}, text {last.numerics}"
