"""Undoing the fusing: each review that a brief is made of, byte for byte as it was received, held against the brief.

What a reviewer said is read from its raw answer again; a brief that lacks a word of it, or holds one that nobody said,
is refused instead of written out.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from committee.proposals.record import read_back
from committee.review.border import judge
from committee.review.completion import answer_text
from committee.review.received import Accepted, Excluded, Expected
from committee.review.rounds import round_run
from committee.review.stored import stored
from committee.vocabulary.proposal import FrozenRevision
from committee.vocabulary.review import AnswerHypothesis
from harness.vocabulary.base import BadFileError
from ledger.entries import Attempt, Brief, Hypothesis, Review
from ledger.store import Ledger


@dataclass(frozen=True)
class Unfused:
    """One review of the brief."""

    reviewer: str
    file: str  # name for the answer as received
    received: bytes  # the raw answer: an HTTP body, or a command's output
    review: bytes  # the review inside it, as the reviewer wrote it
    hypotheses: int


def unfused(ledger: Ledger, brief: Brief) -> tuple[Unfused, ...]:
    """Every review of a brief, its second look included. Raises BadFileError where the two do not agree."""
    revision = read_back(ledger, brief.proposal, brief.tree)
    found: list[Unfused] = []
    held: list[str] = []
    for run in (brief.run, round_run("second_look", brief.run)):
        for _, review in ledger.of(Review, run=run):
            told = [one for _, one in ledger.of(Hypothesis, run=run, reviewer=review.reviewer)]
            found.append(_unfused(ledger, review, told, revision))
            held += [one.hypothesis for one in told]
    if sorted(held) != sorted(brief.hypotheses):
        raise BadFileError(
            f"the brief of run {brief.run!r} does not hold just what its reviews say; run `committee verify`"
        )
    return tuple(found)


def write_unfused(folder: Path, reviews: tuple[Unfused, ...]) -> tuple[Path, ...]:
    """Write each answer and the review inside it into a new or empty folder. Raises BadFileError, OSError."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise BadFileError(f"{str(folder)!r} is there already and not empty; name a new folder")
    folder.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    for one in reviews:
        for name, content in ((one.file, one.received), (f"{Path(one.file).stem}.review.json", one.review)):
            (folder / name).write_bytes(content)
            written.append(folder / name)
    return tuple(written)


def _unfused(ledger: Ledger, review: Review, told: list[Hypothesis], revision: FrozenRevision) -> Unfused:
    (attempt,) = [one for _, one in ledger.of(Attempt, run=review.run, attempt=review.attempt)]
    received = stored(ledger, attempt)
    if received is None:
        raise BadFileError(f"the answer of {review.reviewer!r} is not on record; run `committee verify`")
    outcome = judge(received, Expected(attempt.nonce, revision.proposal, dict(revision.files)))
    said = list(outcome.answer.hypotheses) if isinstance(outcome, Accepted) else []
    if [_words(one) for one in said] != [_recorded(one) for one in sorted(told, key=_number)]:
        raise BadFileError(
            f"what {review.reviewer!r} said is read otherwise today than it was recorded; see `committee replay`"
        )
    text = answer_text(received.raw) if received.wire == "openai" else received.raw.decode("utf-8")
    inside = b"" if isinstance(text, Excluded) else text.encode("utf-8")
    second = "" if review.run.startswith("review-") else ".second-look"
    suffix = "json" if received.wire == "openai" else "txt"
    return Unfused(review.reviewer, f"{review.reviewer}{second}.{suffix}", received.raw, inside, len(said))


def _number(told: Hypothesis) -> int:
    return int(told.hypothesis.rsplit("/", 1)[1])


def _words(said: AnswerHypothesis) -> dict[str, Any]:
    """All that a reviewer wrote in one hypothesis."""
    value = said.model_dump(mode="json", exclude_none=True)
    value.pop("refutes", None)
    return {"arm": None} | value if not said.refutes else value | {"arm": None}


def _recorded(told: Hypothesis) -> dict[str, Any]:
    """The same from its entry; the arm of a refutation is that of what it refutes, not the reviewer's word."""
    value: dict[str, Any] = {
        "mechanism": told.mechanism,
        "predicted": told.prediction.model_dump(mode="json", exclude_none=True),
        "falsifier": told.falsifier,
        "citations": [one.model_dump(mode="json", exclude={"found_line"}) for one in told.citations],
        "arm": None if told.refutes else told.arm,
    }
    return value | ({"part": told.part} if told.part is not None else {})
