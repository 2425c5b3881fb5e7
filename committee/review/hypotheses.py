"""From an accepted review to hypothesis entries. Pure; the prediction is hashed here, before anything is measured."""

from committee.fuse.arms import arm_from
from committee.vocabulary.review import AnswerHypothesis, ReviewAnswer
from harness.vocabulary.arm import Arm
from harness.vocabulary.target import Target
from ledger.canonical import digest
from ledger.entries import Citation, Hypothesis, Prediction


def hypotheses_of(answer: ReviewAnswer, run: str, reviewer: str, target: Target) -> tuple[Hypothesis, ...]:
    """Every hypothesis of the review, also those whose arm cannot run; the entry says why."""
    return tuple(
        _entry(hypothesis, f"{run}/{reviewer}/{number}", run, target)
        for number, hypothesis in enumerate(answer.hypotheses, start=1)
    )


def _entry(said: AnswerHypothesis, name: str, run: str, target: Target) -> Hypothesis:
    prediction = Prediction.model_validate(said.predicted.model_dump(mode="json"))
    written = said.arm.model_dump(mode="json", exclude_none=True) if said.arm else None
    arm = arm_from(written, target) if written else None
    return Hypothesis(
        hypothesis=name,
        run=run,
        reviewer=name.split("/")[1],
        mechanism=said.mechanism,
        prediction=prediction,
        prediction_sha256=digest(prediction.model_dump(mode="json")),
        falsifier=said.falsifier,
        citations=tuple(Citation.model_validate(citation.model_dump()) for citation in said.citations),
        arm=written,
        arm_fingerprint=arm.fingerprint if isinstance(arm, Arm) else None,
        not_runnable=arm if isinstance(arm, str) else None,
    )
