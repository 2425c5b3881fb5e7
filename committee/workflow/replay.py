"""A finished review run once more, from the ledger alone: the stored answers through today's border and fusing.

Nothing is sent and nothing is written. Where the code is the same, so is every byte of the brief; where it is newer,
the difference is shown. What the target's file allows decides which arms can run: it is read as it is now, with the
baseline as it was accepted when the run began.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import unified_diff

from committee.brief.render import render
from committee.fuse.fuse import fuse
from committee.proposals.record import header_of, read_back
from committee.review.border import judge
from committee.review.hypotheses import hypotheses_of
from committee.review.known import Shown
from committee.review.received import Accepted, Expected
from committee.review.rounds import Round, bare, round_run, shown_of
from committee.review.stored import stored
from committee.vocabulary.proposal import FrozenRevision
from committee.workflow.briefing import brief_input
from committee.workflow.frozen import loaded
from committee.workflow.rounds import RoundEnd, later_rounds, with_rounds
from harness.vocabulary.base import BadFileError
from harness.vocabulary.target import Target
from ledger.entries import Attempt, Brief, Exclusion, Hypothesis, Review, ReviewerSeat, ReviewRun
from ledger.store import Ledger

COMPLETE = "complete"


@dataclass(frozen=True)
class Seat:
    """How one reviewer ended when it was asked, and how its stored answer ends today."""

    reviewer: str
    then: str  # complete, or the reason of the exclusion
    now: str

    @property
    def same(self) -> bool:
        """Whether today's border says what it said then."""
        return self.then == self.now


@dataclass(frozen=True)
class Replay:
    """A run as it is on record and as it comes out today."""

    run: str
    seats: tuple[Seat, ...]
    arms_then: tuple[str, ...]  # fingerprints, sorted
    arms_now: tuple[str, ...]
    difference: tuple[str, ...]  # lines of a unified diff between the two briefs; empty where every byte agrees

    @property
    def same(self) -> bool:
        """Whether everything comes out as it did."""
        return all(seat.same for seat in self.seats) and self.arms_then == self.arms_now and not self.difference


@dataclass(frozen=True)
class _Ended:
    seat: Seat
    end: Review | Exclusion
    hypotheses: tuple[Hypothesis, ...] = ()


def replay(ledger: Ledger, begun: ReviewRun, target: Target) -> Replay:
    """Replay a run that came to a brief. Raises BadFileError where there is none to compare with."""
    briefs = ledger.of(Brief, run=begun.run)
    if not briefs:
        raise BadFileError(f"run {begun.run!r} came to no brief, so there is nothing to compare; resume it first")
    recorded, revision = briefs[-1][1], read_back(ledger, begun.proposal, begun.tree)
    ended = [_again(ledger, begun, seat, revision, target) for seat in begun.reviewers]
    first, seats, later = _end(begun.run, ended), [one.seat for one in ended], {}
    for kind in later_rounds(ledger, begun):
        again = _round(ledger, begun, kind, revision, target)
        later[kind] = _end(round_run(kind, begun.run), again)
        seats += [replace(one.seat, reviewer=f"{one.seat.reviewer} ({kind})") for one in again]
    second = later["second_look"].told if "second_look" in later else ()
    fused = fuse([*first.told, *second], loaded(revision).arms)
    given = brief_input(begun, header_of(revision), first.reviews, first.left, fused)
    made = render(with_rounds(given, first, later, dict(revision.files)))
    return Replay(
        run=begun.run,
        seats=tuple(seats),
        arms_then=recorded.arms,
        arms_now=fused.fingerprints,
        difference=_difference(ledger.read_blob(recorded.markdown.sha256).decode(), made.markdown),
    )


def _end(run: str, ended: Sequence[_Ended]) -> RoundEnd:
    return RoundEnd(
        run,
        tuple(one.end for one in ended if isinstance(one.end, Review)),
        tuple(one.end for one in ended if isinstance(one.end, Exclusion)),
        tuple(hypothesis for one in ended for hypothesis in one.hypotheses),
    )


def _round(ledger: Ledger, begun: ReviewRun, kind: Round, revision: FrozenRevision, target: Target) -> list[_Ended]:
    """A later round again, shown what it was shown then; empty where nobody was asked."""
    asked = ledger.of(ReviewRun, run=round_run(kind, begun.run))
    if not asked:
        return []
    seen = bare(revision) if kind == "without_comments" else revision
    told = [hypothesis for _, hypothesis in ledger.of(Hypothesis, run=begun.run)]
    shown = shown_of(fuse(told, loaded(revision).arms)) if kind == "second_look" else ()
    return [_again(ledger, asked[0][1], seat, seen, target, shown) for seat in asked[0][1].reviewers]


def _again(
    ledger: Ledger,
    begun: ReviewRun,
    seat: ReviewerSeat,
    revision: FrozenRevision,
    target: Target,
    shown: Sequence[Shown] = (),
) -> _Ended:
    """A reviewer's stored answer through the border; one without an answer stays as it ended."""
    then = _recorded(ledger, begun.run, seat.name)
    word = COMPLETE if isinstance(then, Review) else then.reason
    attempts = _answered(ledger, begun.run, seat, then)
    received = stored(ledger, attempts[-1]) if attempts else None
    if received is None:
        return _Ended(Seat(seat.name, word, word), then)
    files = dict(revision.files)
    outcome = judge(received, Expected(attempts[-1].nonce, revision.proposal, files))
    if isinstance(outcome, Accepted):
        hypotheses = hypotheses_of(outcome.answer, f"{begun.run}/{seat.name}", target, files, shown)
        review = Review(
            run=begun.run,
            attempt=attempts[-1].attempt,
            reviewer=seat.name,
            label=seat.label,
            hypotheses=len(hypotheses),
        )
        return _Ended(Seat(seat.name, word, COMPLETE), review, hypotheses)
    left = Exclusion(
        run=begun.run, attempt=attempts[-1].attempt, reviewer=seat.name, reason=outcome.reason, detail=outcome.detail
    )
    return _Ended(Seat(seat.name, word, outcome.reason.value), left)


def _recorded(ledger: Ledger, run: str, reviewer: str) -> Review | Exclusion:
    for _, review in ledger.of(Review, run=run, reviewer=reviewer):
        return review
    for _, left in ledger.of(Exclusion, run=run, reviewer=reviewer):
        return left
    raise BadFileError(f"reviewer {reviewer!r} has not ended in run {run!r}; resume it first")


def _answered(ledger: Ledger, run: str, seat: ReviewerSeat, then: Review | Exclusion) -> Sequence[Attempt]:
    """The attempt that the recorded end is made of; none for who was left out before anything was sent."""
    return [
        attempt for _, attempt in ledger.of(Attempt, run=run, reviewer=seat.name) if attempt.attempt == then.attempt
    ]


def _difference(then: str, now: str) -> tuple[str, ...]:
    lines = unified_diff(
        then.splitlines(), now.splitlines(), "brief.md as recorded", "brief.md today", lineterm="", n=1
    )
    return tuple(lines) if then != now else ()
