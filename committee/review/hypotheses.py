"""From an accepted review to hypothesis entries; the prediction is hashed here, before anything is measured.

Pure but for patches, which are tried in copies of the revision.
"""

from collections.abc import Sequence
from typing import Any

from committee.arms.admit import Admission, admitted
from committee.review.citations import Files, checked
from committee.review.known import Shown
from committee.vocabulary.review import AnswerHypothesis, ReviewAnswer
from harness.vocabulary.target import Target
from ledger.canonical import digest
from ledger.entries import Hypothesis, Prediction

NOTHING = Admission(None, None)


def hypotheses_of(
    answer: ReviewAnswer, source: str, target: Target, files: Files, shown: Sequence[Shown] = ()
) -> tuple[Hypothesis, ...]:
    """Every hypothesis of the review `source` (run/reviewer), also those whose arm cannot run; the entry says why.

    `shown` is what a second look showed: a refutation has the arm of what it refutes.
    """
    return tuple(
        _entry(hypothesis, f"{source}/{number}", target, files, shown)
        for number, hypothesis in enumerate(answer.hypotheses, start=1)
    )


def _entry(said: AnswerHypothesis, name: str, target: Target, files: Files, shown: Sequence[Shown]) -> Hypothesis:
    prediction = Prediction.model_validate(said.predicted.model_dump(mode="json"))
    refuted = next((one for one in shown if one.label == said.refutes), None)
    written: dict[str, Any] | None = said.arm.model_dump(mode="json", exclude_none=True) if said.arm else None
    if written is None and refuted is not None and refuted.written is not None:
        written = dict(refuted.written)
    found = admitted(written, target, files) if written else NOTHING
    not_runnable = found.not_runnable
    if said.refutes and refuted is None:
        not_runnable = f"it says that {said.refutes!r} is wrong, which was not shown to it"
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
        unsupported=not citations or any(citation.found_line is None for citation in citations),
        arm=written,
        arm_fingerprint=found.arm.fingerprint if found.arm else None,
        not_runnable=not_runnable,
        part=said.part,
        refutes=refuted.hypothesis if refuted else None,
        patch=found.patch,
    )
