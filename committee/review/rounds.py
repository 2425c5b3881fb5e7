"""Later rounds of a review run, each with a run id of its own: the second look, and the files without comments.

Each is asked as the first one was: intent and answer on record before anything is made of them, safe to repeat after a
kill. A second look is for reviewers whose first review is complete; none is asked that would answer from a recording.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from committee.fuse.fused import Fused
from committee.fuse.source import without_comments as stripped
from committee.proposals.folder import HEADER
from committee.proposals.secrets import kinds_in
from committee.review.ask import Sitting, ask, seated
from committee.review.known import Shown
from committee.review.scribe import Wanted
from committee.vocabulary.proposal import FrozenRevision
from harness.vocabulary.arm import text
from ledger.canonical import digest
from ledger.entries import Hypothesis, Review, ReviewerSeat, ReviewRun

Round = Literal["second_look", "without_comments"]
PREFIXES: dict[Round, str] = {"second_look": "second-", "without_comments": "plain-"}
ASKED_KINDS = frozenset({"openai", "command"})  # a recording says the same again, a very small model cannot refute


def round_run(kind: Round, run: str) -> str:
    """The id of a run's later round: always the same, so that it can be taken up."""
    return f"{PREFIXES[kind]}{run.removeprefix('review-')}"


async def second_look(sitting: Sitting, begun: ReviewRun, fused: Fused) -> dict[str, str]:
    """Ask everybody once more, shown the fused hypotheses without names; who ended how. Safe to repeat."""
    shown = shown_of(fused)
    if not shown:
        return {}
    subject = replace(sitting.subject, shown=shown)
    return await _asked(
        replace(sitting, run=round_run("second_look", begun.run), subject=subject), begun, "second_look"
    )


async def without_comments(sitting: Sitting, begun: ReviewRun) -> dict[str, str]:
    """Ask everybody for the same files without their comments; who ended how. Safe to repeat."""
    subject = replace(sitting.subject, revision=bare(sitting.subject.revision))
    run = round_run("without_comments", begun.run)
    return await _asked(replace(sitting, run=run, subject=subject), begun, "without_comments")


def shown_of(fused: Fused) -> tuple[Shown, ...]:
    """Every fused hypothesis but echoes under a label, in an order that says nothing about its reviewer or its merit.

    A text that looks like it holds a secret is not shown to others.
    """
    said = (one for one in fused.hypotheses if one not in fused.echoes)
    told = sorted(said, key=lambda one: digest([one.mechanism, one.falsifier, one.prediction_sha256]))
    clean = [one for one in told if not kinds_in("\n".join((one.mechanism, one.falsifier, _arm(one))))]
    return tuple(
        Shown(
            label=f"H{number}",
            hypothesis=one.hypothesis,
            mechanism=one.mechanism,
            predicted=_predicted(one),
            falsifier=one.falsifier,
            arm=_arm(one),
            written=one.arm,
        )
        for number, one in enumerate(clean, start=1)
    )


def bare(revision: FrozenRevision) -> FrozenRevision:
    """The revision with comments blanked out, for this round's prompt only; line numbers stay."""
    return replace(revision, files=tuple((path, _bare(path, content)) for path, content in revision.files))


def _bare(path: str, content: bytes) -> bytes:
    try:
        return content if path == HEADER else stripped(path, content.decode("utf-8")).encode()
    except UnicodeDecodeError:
        return content


def _predicted(told: Hypothesis) -> str:
    said = told.prediction
    return f"{said.metric} @ {said.load} {said.direction} {said.low_pct:+g}..{said.high_pct:+g} %"


def _arm(told: Hypothesis) -> str:
    """The arm's settings in one line; a patch is named and not shown: whoever wants to see it has the same files."""
    arm = told.arm or {}
    settings = [f"{key}={text(value)}" for part in ("flags", "env") for key, value in sorted(arm.get(part, {}).items())]
    return " ".join((*settings, *(("(patch)",) if arm.get("patch") else ())))


async def _asked(sitting: Sitting, begun: ReviewRun, kind: Round) -> dict[str, str]:
    seats = _seats(sitting, begun, kind)
    if not seats:
        return {}
    entry = begun.model_copy(
        update={
            "run": sitting.run,
            "reviewers": seats,
            "quorum": 1,
            "round": kind,
            "of_run": begun.run,
            "second_look": False,
            "differential": False,
        }
    )
    ledger = sitting.shared.ledger
    if not ledger.of(ReviewRun, run=sitting.run):
        await sitting.shared.scribe.write(lambda _books: Wanted((entry,)))
    for seat in seats:
        if sitting.shared.scribe.books.ended(sitting.run, seat.name) is None:
            seated(sitting.shared.config, seat)
    # Each has its own wall clock. What one raises ends the run, but not before the others' answers are on record.
    ended = await asyncio.gather(*(ask(sitting, seat) for seat in seats), return_exceptions=True)
    for end in ended:
        if isinstance(end, BaseException):
            raise end
    return {seat.name: end for seat, end in zip(seats, ended, strict=True) if isinstance(end, str)}


def _seats(sitting: Sitting, begun: ReviewRun, kind: Round) -> tuple[ReviewerSeat, ...]:
    """Those on record where the round was begun; else everybody who can be asked."""
    ledger = sitting.shared.ledger
    recorded: Sequence[ReviewRun] = [entry for _, entry in ledger.of(ReviewRun, run=sitting.run)]
    if recorded:
        return recorded[0].reviewers
    live = tuple(seat for seat in begun.reviewers if seat.reviewer_kind in ASKED_KINDS)
    if kind == "without_comments":  # also those that failed: was it the comments?
        return live
    complete = {review.reviewer for _, review in ledger.of(Review, run=begun.run)}
    return tuple(seat for seat in live if seat.name in complete)
