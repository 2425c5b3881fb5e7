"""Asking one reviewer in one run, so that a finished attempt is never paid for twice.

The intent is committed before anything is sent and the raw answer before anything is made of it. Called again after
a kill, it takes up where the ledger ends: a stored answer goes through the border again and is not asked for again; an
attempt without an answer has an unknown outcome and is sent once more, as number 2, and then left out.
"""

import secrets
from dataclasses import dataclass, field, replace

from committee.review.border import judge
from committee.review.budget import cost, fits, worst_case
from committee.review.call import Caller, call
from committee.review.completion import BodyFacts, facts
from committee.review.hypotheses import hypotheses_of
from committee.review.leaving import secret_leaving
from committee.review.order import Edge, Order
from committee.review.progress import ReviewerEvent, SeatState, Watch, unwatched
from committee.review.prompt import BOUNDARY_BYTES, Attempted, Subject, boundary_for, render
from committee.review.received import Accepted, Excluded, Expected, Received
from committee.review.stored import stored
from committee.vocabulary.answer_schema import AnswerOf, compact_schema, full_schema
from committee.vocabulary.config import CommitteeConfig, Reviewer
from committee.vocabulary.exclusion import Reason
from harness.vocabulary.base import BadFileError
from ledger.entries import Attempt, Exclusion, Response, Review, ReviewerSeat, ReviewRun
from ledger.store import Ledger

MAX_ATTEMPTS = 2  # one whose outcome is unknown is sent once more, then left out
NONCE_BYTES = 6
TEXT = "text/plain; charset=utf-8"
RAW_TYPES = {"openai": "application/json", "command": "text/plain"}


@dataclass(frozen=True)
class Sitting:
    """One review run as the branches need it."""

    ledger: Ledger
    run: str
    config: CommitteeConfig
    subject: Subject
    budget_money: float
    edge: Edge
    watch: Watch = unwatched
    caller: Caller = field(default=call)


async def ask(sitting: Sitting, seat: ReviewerSeat) -> str:
    """Bring one reviewer to its end in the ledger; returns `complete` or why it is left out. Safe to repeat."""
    ended = _ended(sitting, seat.name)
    if ended:
        return ended
    attempts = [attempt for _, attempt in sitting.ledger.of(Attempt, run=sitting.run, reviewer=seat.name)]
    if attempts:
        last = attempts[-1]
        answer = stored(sitting.ledger, last, seat)
        if answer:
            return _conclude(sitting, seat, last, judge(answer, _expected(sitting, last)))
        if len(attempts) >= MAX_ATTEMPTS:
            detail = f"stopped {len(attempts)} times while the answer was on its way; nobody knows whether it came"
            return _exclude(sitting, seat, last.attempt, Excluded(Reason.OUTCOME_UNKNOWN, detail))
    return await _attempt(sitting, seat, len(attempts) + 1)


async def _attempt(sitting: Sitting, seat: ReviewerSeat, number: int) -> str:
    reviewer = sitting.config.named(seat.name)
    nonce = secrets.token_hex(NONCE_BYTES)
    order = order_for(sitting, reviewer, nonce)
    prompt = order.prompt.encode()
    leaving = secret_leaving([order], sitting.subject.target.name)
    if leaving:
        raise BadFileError(leaving)  # a new run ends before this, in its preflight; the target was changed since
    if not fits(_spent(sitting), worst_case(reviewer, len(prompt)), sitting.budget_money):
        detail = f"the call could cost more than what is left of the proposal's budget of {sitting.budget_money:g}"
        return _exclude(sitting, seat, None, Excluded(Reason.OVER_BUDGET, detail))
    attempt = Attempt(
        attempt=f"{sitting.run}/{seat.name}/{number}",
        run=sitting.run,
        reviewer=seat.name,
        number=number,
        prompt=sitting.ledger.put_blob(prompt, TEXT),
        nonce=nonce,
    )
    sitting.ledger.append(attempt)
    sitting.watch(ReviewerEvent(seat.name, SeatState.ASKED))
    received = await sitting.caller(order, sitting.edge)
    sitting.ledger.append(_response(sitting, attempt, reviewer, received))
    sitting.watch(ReviewerEvent(seat.name, SeatState.ANSWERED))
    return _conclude(sitting, seat, attempt, judge(received, _expected(sitting, attempt)))


def order_for(sitting: Sitting, reviewer: Reviewer, nonce: str) -> Order:
    """The exact call that a reviewer would get; `review --dry-run` prints its prompt."""
    subject, small = sitting.subject, reviewer.kind == "embedded"
    files = subject.revision.files
    words = [f"--{secrets.token_hex(BOUNDARY_BYTES)}" for _ in range(4)]
    attempted = Attempted(
        nonce, boundary_for(subject.framed, words), sitting.config.review.language, only_text=small, arms=reviewer.arms
    )
    target = subject.target
    of = AnswerOf(
        nonce=nonce,
        proposal=subject.revision.proposal,
        files=[path for path, _ in files],
        allowed_flags=target.allowed_flags if reviewer.arms else {},
        loads=subject.loads,
        metrics=subject.metrics,
        in_force=target.baseline.flags,
    )
    schema = compact_schema(of) if small else full_schema(of)
    bare = replace(subject, revision=replace(subject.revision, files=()))
    return Order(reviewer, render(subject, attempted), schema, files, render(bare, attempted))


def _conclude(sitting: Sitting, seat: ReviewerSeat, attempt: Attempt, outcome: Accepted | Excluded) -> str:
    """Record the end of this reviewer once, a review with its hypotheses in one transaction."""
    ended = _ended(sitting, seat.name)
    if ended:
        return ended
    if isinstance(outcome, Excluded):
        return _exclude(sitting, seat, attempt.attempt, outcome)
    files = dict(sitting.subject.revision.files)
    hypotheses = hypotheses_of(outcome.answer, f"{sitting.run}/{seat.name}", sitting.subject.target, files)
    review = Review(
        run=sitting.run,
        attempt=attempt.attempt,
        reviewer=seat.name,
        label=seat.label,
        hypotheses=len(hypotheses),
    )
    sitting.ledger.append_all((review, *hypotheses))
    sitting.watch(ReviewerEvent(seat.name, SeatState.COMPLETE))
    return SeatState.COMPLETE.value


def _exclude(sitting: Sitting, seat: ReviewerSeat, attempt: str | None, outcome: Excluded) -> str:
    reason = outcome.reason.value
    sitting.ledger.append(
        Exclusion(run=sitting.run, attempt=attempt, reviewer=seat.name, reason=reason, detail=outcome.detail)
    )
    sitting.watch(ReviewerEvent(seat.name, SeatState.EXCLUDED, f"{reason}: {outcome.detail}"))
    return reason


def _ended(sitting: Sitting, reviewer: str) -> str | None:
    if sitting.ledger.of(Review, run=sitting.run, reviewer=reviewer):
        return SeatState.COMPLETE.value
    excluded = sitting.ledger.of(Exclusion, run=sitting.run, reviewer=reviewer)
    return excluded[-1][1].reason if excluded else None


def _response(sitting: Sitting, attempt: Attempt, reviewer: Reviewer, received: Received) -> Response:
    said = facts(received.raw) if received.wire == "openai" else BodyFacts()
    return Response(
        attempt=attempt.attempt,
        raw=sitting.ledger.put_blob(received.raw, RAW_TYPES[received.wire]),
        finish_reason=said.finish_reason,
        served_model=said.served_model,
        prompt_tokens=said.prompt_tokens,
        completion_tokens=said.completion_tokens,
        elapsed_s=received.elapsed_s,
        sent=received.sent,
        cost=cost(reviewer, received, said, attempt.prompt.size),
        failure=received.failure.value if received.failure else None,
        detail=received.detail,
    )


def _expected(sitting: Sitting, attempt: Attempt) -> Expected:
    revision = sitting.subject.revision
    return Expected(attempt.nonce, revision.proposal, dict(revision.files))


def _spent(sitting: Sitting) -> list[float]:
    """What the attempts of all the proposal's runs cost, at their worst where no answer says so."""
    ledger, proposal = sitting.ledger, sitting.subject.revision.proposal
    runs = {run.run for _, run in ledger.of(ReviewRun, proposal=proposal)}
    answered = {response.attempt: response.cost for _, response in ledger.of(Response)}
    return [
        answered.get(attempt.attempt, _worst(sitting.config, attempt))
        for _, attempt in ledger.of(Attempt)
        if attempt.run in runs
    ]


def _worst(config: CommitteeConfig, attempt: Attempt) -> float:
    """The most that an attempt can have cost; of a reviewer no longer in the file, by the dearest prices there."""
    named = [reviewer for reviewer in config.reviewer if reviewer.name == attempt.reviewer]
    return max(worst_case(reviewer, attempt.prompt.size) for reviewer in named or config.reviewer)
