"""What later rounds of a run add to it, read from the ledger: hypotheses to fuse, and what the brief says of them."""

from collections.abc import Mapping
from dataclasses import replace

from committee.brief.content import BriefInput, LeftOut, SecondLook, TookPart, WithoutComments
from committee.fuse.differential import only_with_comments
from committee.pull.tables import step_tables
from committee.review.rounds import round_run
from ledger.entries import Exclusion, Hypothesis, Review, ReviewRun
from ledger.store import Ledger


def told_in(ledger: Ledger, run: str) -> list[Hypothesis]:
    """The hypotheses of a run and of its second look; those of the round without comments only compare."""
    return [
        hypothesis for one in (run, round_run("second_look", run)) for _, hypothesis in ledger.of(Hypothesis, run=one)
    ]


def with_rounds(ledger: Ledger, begun: ReviewRun, given: BriefInput, files: Mapping[str, bytes]) -> BriefInput:
    """The brief's input with what later rounds and step-time tables say. Raises BadFileError for a table."""
    return replace(
        given,
        second_look=_second_look(ledger, begun) if begun.second_look else None,
        without_comments=_without_comments(ledger, begun) if begun.differential else None,
        steps=step_tables(files),
    )


def _second_look(ledger: Ledger, begun: ReviewRun) -> SecondLook:
    run = round_run("second_look", begun.run)
    return SecondLook(
        run,
        tuple(TookPart(one.reviewer, one.label) for _, one in ledger.of(Review, run=run)),
        tuple(LeftOut(one.reviewer, one.reason, one.detail) for _, one in ledger.of(Exclusion, run=run)),
    )


def _without_comments(ledger: Ledger, begun: ReviewRun) -> WithoutComments:
    run = round_run("without_comments", begun.run)
    compared = {review.reviewer for _, review in ledger.of(Review, run=run)}
    first = [told for _, told in ledger.of(Hypothesis, run=begun.run)]
    without = [told for _, told in ledger.of(Hypothesis, run=run)]
    flagged = only_with_comments([told for told in first if told.reviewer in compared], without)
    failed = {left.reviewer for _, left in ledger.of(Exclusion, run=begun.run)}
    not_compared = {seat.name for seat in begun.reviewers} - compared
    complete = {review.reviewer for _, review in ledger.of(Review, run=begun.run)}
    unsaid = only_with_comments([told for told in without if told.reviewer in complete], first)
    silenced = tuple(told for told in without if told.hypothesis in unsaid)
    return WithoutComments(flagged, frozenset(not_compared), frozenset(failed & compared), silenced)
