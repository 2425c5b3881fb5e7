"""From an accepted review to hypothesis entries. Pure; the prediction is hashed here, before anything is measured."""

from committee.fuse.arms import arm_from
from committee.review.citations import Files, checked
from committee.vocabulary.review import AnswerHypothesis, ReviewAnswer
from harness.vocabulary.arm import Arm
from harness.vocabulary.target import Target
from ledger.canonical import digest
from ledger.entries import Hypothesis, Prediction


def hypotheses_of(answer: ReviewAnswer, source: str, target: Target, files: Files) -> tuple[Hypothesis, ...]:
    """Every hypothesis of the review `source` (run/reviewer), also those whose arm cannot run; the entry says why."""
    return tuple(
        _entry(hypothesis, f"{source}/{number}", target, files)
        for number, hypothesis in enumerate(answer.hypotheses, start=1)
    )


def _entry(said: AnswerHypothesis, name: str, target: Target, files: Files) -> Hypothesis:
    prediction = Prediction.model_validate(said.predicted.model_dump(mode="json"))
    written = said.arm.model_dump(mode="json", exclude_none=True) if said.arm else None
    arm = arm_from(written, target) if written else None
    citations = tuple(checked(citation, files) for citation in said.citations)
    run, reviewer, _ = name.split("/")
    return Hypothesis(
        hypothesis=name,
        run=run,
        reviewer=reviewer,
        mechanism=said.mechanism,
        prediction=prediction,
        prediction_sha256=digest(prediction.model_dump(mode="json")),
        falsifier=said.falsifier,
        citations=citations,
        unsupported=any(citation.found_line is None for citation in citations),
        arm=written,
        arm_fingerprint=arm.fingerprint if isinstance(arm, Arm) else None,
        not_runnable=arm if isinstance(arm, str) else None,
    )
