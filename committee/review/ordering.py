"""From a subject and a reviewer to the exact call, and to the part of it that nobody has looked over yet. Pure."""

import json
import secrets
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from committee.review.order import Order
from committee.review.prompt import BOUNDARY_BYTES, Attempted, Subject, boundary_for, render
from committee.vocabulary.answer_schema import AnswerOf, compact_schema, full_schema
from committee.vocabulary.config import Reviewer

NONCE_BYTES = 6
NO_NONCE = "0" * (2 * NONCE_BYTES)  # of an order that is looked at and not sent
LINES = (",\n", ": ")  # of JSON: a value a line, because secrets are looked for line by line
DRAWN = 4  # boundaries drawn: that one of them stands in a file by chance is unlikely enough, that all do is not chance


def order_for(subject: Subject, reviewer: Reviewer, nonce: str, language: str) -> Order:
    """The exact call that a reviewer would get; `review --dry-run` prints its prompt."""
    words = [f"--{secrets.token_hex(BOUNDARY_BYTES)}" for _ in range(DRAWN)]
    attempted = _attempted(reviewer, nonce, boundary_for(subject.framed, words), language)
    return Order(reviewer, render(subject, attempted), _schema(subject, reviewer, nonce), subject.revision.files)


def shape_of(reviewer: Reviewer) -> str:
    """What tells two reviewers' orders apart beside the nonce: reviewers of one shape are sent the same."""
    return f"{reviewer.kind == 'embedded'} {reviewer.arms} {reviewer.lens}"


def beside_files(subject: Subject, reviewer: Reviewer, language: str) -> str:
    """All that a reviewer would be sent but the files, which the proposal's check looks over, and our random words."""
    bare = replace(subject, revision=replace(subject.revision, files=()))
    words = [f"--{digit * 2 * BOUNDARY_BYTES}" for digit in "0123456789abcdef"]
    prompt = render(bare, _attempted(reviewer, NO_NONCE, boundary_for(bare.framed, words), language))
    return f"{prompt}\n{json.dumps(dict(_schema(subject, reviewer, NO_NONCE)), separators=LINES)}"


def _attempted(reviewer: Reviewer, nonce: str, boundary: str, language: str) -> Attempted:
    small = reviewer.kind == "embedded"
    return Attempted(nonce, boundary, language, only_text=small, arms=reviewer.arms, lens=reviewer.lens)


def _schema(subject: Subject, reviewer: Reviewer, nonce: str) -> Mapping[str, Any]:
    target = subject.target
    of = AnswerOf(
        nonce=nonce,
        proposal=subject.revision.proposal,
        files=[path for path, _ in subject.revision.files],
        allowed_flags=target.allowed_flags if reviewer.arms else {},
        loads=subject.loads,
        metrics=subject.metrics,
        in_force=target.baseline.flags,
        parts=subject.parts,
        labels=[one.label for one in subject.shown],
        patches=bool(subject.known.patchable) and reviewer.arms,
    )
    return compact_schema(of) if reviewer.kind == "embedded" else full_schema(of)
