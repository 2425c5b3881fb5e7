"""Pure: what each reviewer claimed beside what was measured; the two are kept apart and never mixed (lesson C3)."""

from collections.abc import Sequence
from dataclasses import dataclass

from committee.report.history import History
from committee.report.phrases import Phrase
from committee.report.runs import Runs, RunView, as_runs
from committee.report.words import metric_words, percent, span
from ledger.entries import Hypothesis, ReviewRun

LABELS = {"live": "live", "recorded": "recorded", "small CPU model": "small_model", "unknown": "unknown"}


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
    runs = as_runs(views)
    labels = {seat.name: seat.label for seat in run.reviewers}
    return tuple(
        Claim(
            reviewer=item.payload.reviewer,
            label=label_words(labels.get(item.payload.reviewer, "unknown")),
            mechanism=item.payload.mechanism,
            predicted=predicted_words(item.payload),
            falsifier=item.payload.falsifier,
            arm=_arm(history, item.payload),
            measured=_measured(runs, item.payload),
        )
        for item in history.hypotheses_of(run.run)
    )


def predicted_words(claim: Hypothesis) -> Phrase:
    """The effect claimed, in words."""
    said = claim.prediction
    return Phrase(
        "predicted",
        metric=metric_words(said.metric, said.load),
        way=Phrase(f"way_{said.direction}"),
        span=span(said.low_pct, said.high_pct),
    )


def _arm(history: History, claim: Hypothesis) -> str:
    if claim.not_runnable:
        return Phrase("cannot_be_run", why=claim.not_runnable)
    return history.arm_name(claim.arm_fingerprint) if claim.arm_fingerprint else Phrase("no_arm")


def _measured(views: Runs, claim: Hypothesis) -> Phrase:
    last = views.newest(claim.arm_fingerprint, claim.prediction.metric, claim.prediction.load)
    if last is None:
        return Phrase("not_measured")
    if last.interval is None or last.speed is None:
        return Phrase("no_number_why", why=last.validity)
    bounds = span(last.interval.low_pct, last.interval.high_pct)
    change = percent(last.interval.estimate_pct)
    return Phrase("measured_words", change=change, span=bounds, speed=last.speed, numerics=last.numerics)


def label_words(label: str) -> str:
    """What a reviewer is: the report's word for a known label, else the recorded one."""
    return Phrase(f"label_{LABELS[label]}") if label in LABELS else label
