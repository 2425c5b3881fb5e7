"""Asking one reviewer in one run, so that a finished attempt is never paid for twice.

The intent is committed before anything is sent and the raw answer before anything is made of it. Called again after
a kill, it takes up where the ledger ends: a stored answer goes through the border again and is not asked for again.
"""

import asyncio
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TypeVar

from committee.review.again import Ask, Tried, next_step
from committee.review.books import COMPLETE, Books
from committee.review.border import judge
from committee.review.budget import NOTHING, Allowance, believed, cost, uncounted, worst_use
from committee.review.call import Caller, call
from committee.review.completion import BodyFacts, facts
from committee.review.hypotheses import hypotheses_of
from committee.review.leaving import Lookout
from committee.review.lines import Lines
from committee.review.order import Edge, Order
from committee.review.ordering import NONCE_BYTES, order_for
from committee.review.progress import ReviewerEvent, SeatState, Watch, unwatched
from committee.review.prompt import Subject
from committee.review.received import Accepted, Excluded, Expected, Received
from committee.review.room import ROOM_BYTES, Room
from committee.review.scribe import Scribe, Wanted
from committee.review.stored import RAW_TYPES, stored
from committee.vocabulary.config import CommitteeConfig, Reviewer
from committee.vocabulary.exclusion import Reason
from harness.vocabulary.base import BadFileError
from ledger.canonical import sha256_hex
from ledger.entries import Attempt, BlobRef, Exclusion, Payload, Response, Review, ReviewerSeat
from ledger.errors import LedgerError
from ledger.store import Ledger

Done = TypeVar("Done")
TEXT = "text/plain; charset=utf-8"
LARGE_BYTES = 200_000  # of a revision; looking through so much takes some ten milliseconds


@dataclass(frozen=True)
class Shared:
    """What all branches of a process work with."""

    ledger: Ledger
    config: CommitteeConfig
    edge: Edge
    scribe: Scribe
    lines: Lines
    lookout: Lookout = field(default_factory=Lookout)
    watch: Watch = unwatched
    caller: Caller = call
    room: Room | None = None  # none: nothing is kept, as where nothing is paid for


@dataclass(frozen=True)
class Sitting:
    """One review run as its branches need it."""

    shared: Shared
    run: str
    subject: Subject
    budget: Allowance  # the proposal's

    @property
    def allowances(self) -> tuple[Allowance, Allowance]:
        """The proposal's, then the workspace's."""
        limits = self.shared.config.budget
        return self.budget, Allowance("the workspace's", limits.money, limits.tokens)


async def ask(sitting: Sitting, seat: ReviewerSeat) -> str:
    """Bring one reviewer to its end in the ledger; returns `complete` or why it is left out. Safe to repeat."""
    ended = sitting.shared.scribe.books.ended(sitting.run, seat.name)
    if ended:
        return ended
    tried = _tried(sitting, seat) if sitting.shared.scribe.books.attempts(sitting.run, seat.name) else []
    reviewer = seated(sitting.shared.config, seat)
    while True:
        step = next_step(tried, reviewer.timeout_s)
        if not isinstance(step, Ask):
            return await _conclude(sitting, seat, tried[-1].attempt, step)
        await asyncio.sleep(step.wait_s)
        sent = await _attempt(sitting, reviewer, len(tried) + 1, step.used_s)
        if isinstance(sent, str):
            return sent
        tried.append(sent)


def seated(config: CommitteeConfig, seat: ReviewerSeat) -> Reviewer:
    """Who is asked for a seat. Raises BadFileError where committee.toml now says another one under its name."""
    reviewer = config.named(seat.name)
    now, then = (reviewer.kind, reviewer.shown_model), (seat.reviewer_kind, seat.model)
    if now != then:
        raise BadFileError(
            f"committee.toml now has {now[1]!r} ({now[0]}) as reviewer {seat.name!r}, but the run began with "
            f"{then[1]!r} ({then[0]}); put it back or start a new run"
        )
    return reviewer


async def _aside(sitting: Sitting, work: Callable[[], Done]) -> Done:
    """What looks through the revision's files; of a large one in a thread, so that other calls' wall clocks go on."""
    size = sum(len(content) for _, content in sitting.subject.revision.files)
    return work() if size < LARGE_BYTES else await asyncio.to_thread(work)


def _tried(sitting: Sitting, seat: ReviewerSeat) -> list[Tried]:
    """What earlier processes did for this seat, each answer judged again."""
    ledger = sitting.shared.ledger
    attempts = [attempt for _, attempt in ledger.of(Attempt, run=sitting.run, reviewer=seat.name)]
    return [_judged(sitting, attempt, stored(ledger, attempt)) for attempt in attempts]


def _judged(sitting: Sitting, attempt: Attempt, received: Received | None) -> Tried:
    if received is None:
        return Tried(attempt)
    revision = sitting.subject.revision
    expected = Expected(attempt.nonce, revision.proposal, dict(revision.files))
    outcome = judge(received, expected)
    return Tried(attempt, outcome, received.elapsed_s, received.asked_to_wait_s, received.sent > 0)


async def _attempt(sitting: Sitting, reviewer: Reviewer, number: int, used_s: float) -> Tried | str:
    """One attempt to its judgement; or why this seat was left out before anything was sent."""
    shared, nonce = sitting.shared, secrets.token_hex(NONCE_BYTES)
    order = order_for(sitting.subject, reviewer, nonce, shared.config.review.language)
    leaving = shared.lookout.refusal(sitting.subject, [reviewer], shared.config.review.language)
    if leaving:
        raise BadFileError(leaving)  # a new run ends before this, in its preflight; the target was changed since
    unknown = uncounted([reviewer], sitting.allowances)
    if unknown:
        raise BadFileError(unknown)  # as above; committee.toml was changed since
    attempt = Attempt(
        attempt=f"{sitting.run}/{reviewer.name}/{number}",
        run=sitting.run,
        reviewer=reviewer.name,
        number=number,
        prompt=blob_ref(order.prompt.encode(), TEXT),
        nonce=nonce,
    )
    left_s = reviewer.timeout_s - used_s if used_s else None
    received = await _sent(sitting, attempt, replace(order, left_s=left_s))
    if isinstance(received, str):
        return received
    answer = _response(attempt, reviewer, received)
    await _kept(shared, Wanted((answer,), (received.raw,)))
    shared.watch(ReviewerEvent(reviewer.name, SeatState.ANSWERED))
    return await _aside(sitting, lambda: _judged(sitting, attempt, received))


async def _kept(shared: Shared, wanted: Wanted) -> None:
    """Put an answer on record; on a full disk in the room that was kept for it. Raises LedgerError then too."""
    try:
        await shared.scribe.write(lambda _books: wanted)
    except LedgerError:
        if shared.room is not None:
            shared.room.give_up()
            await shared.scribe.write(lambda _books: wanted)
        raise


async def _sent(sitting: Sitting, attempt: Attempt, order: Order) -> Received | str:
    """The call, with its intent on record before; or the reason of an exclusion that is on record instead."""
    shared, prompt = sitting.shared, order.prompt.encode()
    async with shared.lines.slot(order.reviewer):
        if shared.room is not None and not shared.room.kept:
            said = f"there is no room of {ROOM_BYTES >> 20} MiB for answers beside {str(shared.ledger.path)!r}"
            raise BadFileError(f"{said}, so nobody is asked; make room, then `committee resume {sitting.run}`")
        wanted = await shared.scribe.write(lambda books: _intent(sitting, books, attempt, prompt))
        for left in wanted.payloads:
            if isinstance(left, Exclusion):
                shared.watch(ReviewerEvent(left.reviewer, SeatState.EXCLUDED, f"{left.reason}: {left.detail}"))
                return left.reason
        shared.watch(ReviewerEvent(attempt.reviewer, SeatState.ASKED))
        return await shared.caller(order, shared.edge, shared.lines)


def _intent(sitting: Sitting, books: Books, attempt: Attempt, prompt: bytes) -> Wanted:
    """The attempt, counted at its worst from here on; or the exclusion where that does not fit.

    Raises BadFileError where another process, on another machine, asks the same reviewer just now.
    """
    if books.attempts(sitting.run, attempt.reviewer) >= attempt.number:
        said = f"another process asks {attempt.reviewer!r} in run {sitting.run} just now; wait for its end"
        raise BadFileError(f"{said}, then `committee resume {sitting.run}`")
    more = worst_use(sitting.shared.config, attempt.reviewer, len(prompt))
    proposals, workspaces = sitting.allowances
    refusal = proposals.refusal(books.spent_on(sitting.subject.revision.proposal), more) or workspaces.refusal(
        books.spent_on(), more
    )
    if not refusal or more == NOTHING:
        return Wanted((attempt,), (prompt,))
    reason = Reason.OVER_BUDGET.value
    return Wanted((Exclusion(run=sitting.run, attempt=None, reviewer=attempt.reviewer, reason=reason, detail=refusal),))


async def _conclude(sitting: Sitting, seat: ReviewerSeat, attempt: Attempt, outcome: Accepted | Excluded) -> str:
    """Record the end of this reviewer once, a review with its hypotheses in one transaction."""
    if _patched(outcome):
        payloads = await asyncio.to_thread(_end, sitting, seat, attempt, outcome)  # it may be compiled
    else:
        payloads = _end(sitting, seat, attempt, outcome)

    def once(books: Books) -> Wanted:
        return Wanted() if books.ended(sitting.run, seat.name) else Wanted(payloads)

    wanted = await sitting.shared.scribe.write(once)
    if wanted.payloads:
        excluded = f"{outcome.reason.value}: {outcome.detail}" if isinstance(outcome, Excluded) else ""
        state = SeatState.EXCLUDED if excluded else SeatState.COMPLETE
        sitting.shared.watch(ReviewerEvent(seat.name, state, excluded))
    return sitting.shared.scribe.books.ended(sitting.run, seat.name) or COMPLETE


def _patched(outcome: Accepted | Excluded) -> bool:
    """Whether any arm of a review is a patch, on its own or as what it refutes in a second look."""
    told = outcome.answer.hypotheses if isinstance(outcome, Accepted) else ()
    return any(one.refutes or (one.arm and one.arm.patch) for one in told)


def _end(sitting: Sitting, seat: ReviewerSeat, attempt: Attempt, outcome: Accepted | Excluded) -> tuple[Payload, ...]:
    run, name = sitting.run, attempt.attempt
    if isinstance(outcome, Excluded):
        reason = outcome.reason.value
        return (Exclusion(run=run, attempt=name, reviewer=seat.name, reason=reason, detail=outcome.detail),)
    files = dict(sitting.subject.revision.files)
    subject = sitting.subject
    hypotheses = hypotheses_of(outcome.answer, f"{run}/{seat.name}", subject.target, files, subject.shown)
    review = Review(run=run, attempt=name, reviewer=seat.name, label=seat.label, hypotheses=len(hypotheses))
    return review, *hypotheses


def _response(attempt: Attempt, reviewer: Reviewer, received: Received) -> Response:
    said = believed(facts(received.raw), attempt.prompt.size) if received.wire == "openai" else BodyFacts()
    price = cost(reviewer, received, said, attempt.prompt.size)
    return Response(
        attempt=attempt.attempt,
        raw=blob_ref(received.raw, RAW_TYPES[received.wire]),
        finish_reason=said.finish_reason,
        served_model=said.served_model,
        prompt_tokens=said.prompt_tokens,
        completion_tokens=said.completion_tokens,
        elapsed_s=received.elapsed_s,
        sent=received.sent,
        cost=price or 0.0,
        unpriced=price is None,
        failure=received.failure.value if received.failure else None,
        detail=received.detail,
        held_to=received.held_to,
    )


def blob_ref(content: bytes, media_type: str) -> BlobRef:
    """What an entry names a blob by, before it is stored."""
    return BlobRef(sha256=sha256_hex(content), size=len(content), media_type=media_type)
