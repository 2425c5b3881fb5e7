"""What the ledger holds of calls and predictions, gathered for the scores. Reading only."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from committee.fuse.echo import echoes_example
from committee.report.evidence import Stamped
from committee.report.withheld import wordless
from committee.score.predictions import Record, Scored, record, score
from committee.score.withheld import gone
from ledger.entries import (
    Attempt,
    Exclusion,
    Hypothesis,
    MeasuringRun,
    Proposal,
    Response,
    Review,
    ReviewRun,
    RunEnd,
    Tombstone,
    Verdict,
)
from ledger.store import Ledger


@dataclass(frozen=True)
class Call:
    """One request to one reviewer and what it cost."""

    run: str
    proposal: str
    reviewer: str
    number: int  # 1 for the first attempt of this reviewer in this run
    served_model: str  # as the server says; empty where it did not
    prompt_tokens: int | None
    answer_tokens: int | None
    elapsed_s: float | None  # none where the outcome is unknown
    cost: float | None  # none where the outcome or the price is unknown
    ended: str  # complete, the reason of the exclusion, or outcome_unknown
    sent: int | None = None  # how often it went out, 0 never; none where the outcome is unknown
    unpriced: bool = False  # whether the reviewer had no price


@dataclass(frozen=True)
class Standing:
    """One reviewer over everything recorded: how it answered, how its predictions came out, what it cost."""

    record: Record
    complete: int  # reviews
    excluded: int
    cost: float | None  # none where a call had no price
    gone: int = 0  # hypotheses that were withheld with their numbers, by an earlier version: in no count

    @property
    def cost_a_confirmed(self) -> float | None:
        """Money for each confirmed hypothesis, none where there is none or the money is not known."""
        return None if self.cost is None or not self.record.confirmed else self.cost / self.record.confirmed


def calls(ledger: Ledger, proposal: str | None = None) -> tuple[Call, ...]:
    """Every call, oldest first; of one proposal where it is named."""
    runs = {run.run: run.proposal for _, run in ledger.of(ReviewRun) if proposal in (None, run.proposal)}
    answers = {response.attempt: response for _, response in ledger.of(Response)}
    ends = {review.attempt: "complete" for _, review in ledger.of(Review)}
    ends |= {left.attempt: left.reason for _, left in ledger.of(Exclusion) if left.attempt}
    return tuple(
        _call(attempt, runs[attempt.run], answers.get(attempt.attempt), ends.get(attempt.attempt))
        for _, attempt in ledger.of(Attempt)
        if attempt.run in runs
    )


def scored(ledger: Ledger) -> tuple[Scored, ...]:
    """Every prediction on record, held against verdicts of completed runs on its target that were begun after it."""
    completed = {end.run for _, end in ledger.of(RunEnd) if end.outcome == "completed"}
    begun = {run.run: entry.seq for entry, run in ledger.of(MeasuringRun) if run.run in completed}
    verdicts = [verdict for _, verdict in ledger.of(Verdict) if verdict.run in begun]
    targets = {proposal.proposal: proposal.target for _, proposal in ledger.of(Proposal)}
    about = {run.run: targets.get(run.proposal) for _, run in ledger.of(ReviewRun)}
    compared = {
        run.run for _, run in ledger.of(ReviewRun) if run.round == "without_comments"
    }  # said twice, counts once
    said = [(entry.seq, told, False) for entry, told in ledger.of(Hypothesis) if not echoes_example(told.mechanism)]
    said += [(one.seq, one.payload, True) for one in _withheld(ledger)]
    found = [
        (score(told, [one for one in verdicts if begun[one.run] > seq and one.target == about.get(told.run)]), withheld)
        for seq, told, withheld in sorted(said, key=lambda one: one[0])
        if told.run not in compared
    ]
    return tuple(replace(one, withheld=withheld) for one, withheld in found)


def _withheld(ledger: Ledger) -> tuple[Stamped[Hypothesis], ...]:
    return wordless(ledger.entries(Hypothesis.kind, Tombstone.kind)) if ledger.of(Tombstone) else ()


def standings(ledger: Ledger) -> tuple[Standing, ...]:
    """Every reviewer that was ever asked, by name: the order says nothing about merit."""
    told, made = scored(ledger), calls(ledger)
    reviews, left = ledger.of(Review), ledger.of(Exclusion)
    known = [*(one for _, one in ledger.of(Hypothesis)), *(one.payload for one in _withheld(ledger))]
    lost = gone((review for _, review in reviews), known)
    names = {seat.name for _, run in ledger.of(ReviewRun) for seat in run.reviewers}
    return tuple(
        Standing(
            record=record(name, told),
            complete=sum(review.reviewer == name for _, review in reviews),
            excluded=sum(exclusion.reviewer == name for _, exclusion in left),
            cost=_cost([call for call in made if call.reviewer == name]),
            gone=lost[name],
        )
        for name in sorted(names)
    )


def _cost(made: Sequence[Call]) -> float | None:
    """Of calls whose outcome is known; none where one of them had no price."""
    return None if any(call.unpriced for call in made) else sum(call.cost or 0.0 for call in made)


def _call(attempt: Attempt, proposal: str, answer: Response | None, ended: str | None) -> Call:
    return Call(
        run=attempt.run,
        proposal=proposal,
        reviewer=attempt.reviewer,
        number=attempt.number,
        served_model=(answer.served_model or "") if answer else "",
        prompt_tokens=answer.prompt_tokens if answer else None,
        answer_tokens=answer.completion_tokens if answer else None,
        elapsed_s=answer.elapsed_s if answer else None,
        cost=answer.cost if answer and not answer.unpriced else None,
        ended=ended or ("answered" if answer else "outcome_unknown"),
        sent=answer.sent if answer else None,
        unpriced=answer.unpriced if answer else False,
    )
