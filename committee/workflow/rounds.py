"""What later rounds of a run add to it: hypotheses to fuse, and what the brief says of them. Reads the ledger only."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from committee.brief.content import BriefInput, LeftOut, SecondLook, TookPart, WithoutComments
from committee.fuse.differential import only_with_comments, perhaps_in_other_words
from committee.pull.tables import step_tables
from committee.review.rounds import Round, round_run
from ledger.entries import Exclusion, Hypothesis, Review, ReviewRun
from ledger.store import Ledger


@dataclass(frozen=True)
class RoundEnd:
    """How one round came out: of the ledger, or of a replay."""

    run: str
    reviews: tuple[Review, ...]
    left: tuple[Exclusion, ...]
    told: tuple[Hypothesis, ...]


def recorded(ledger: Ledger, run: str) -> RoundEnd:
    """A round as it is on record; empty for one that was never asked."""
    return RoundEnd(
        run,
        tuple(review for _, review in ledger.of(Review, run=run)),
        tuple(left for _, left in ledger.of(Exclusion, run=run)),
        tuple(told for _, told in ledger.of(Hypothesis, run=run)),
    )


def later_rounds(ledger: Ledger, begun: ReviewRun) -> dict[Round, RoundEnd]:
    """The later rounds that belong to a run, as they are on record."""
    belongs: dict[Round, bool] = {"without_comments": begun.differential, "second_look": begun.second_look}
    return {kind: recorded(ledger, round_run(kind, begun.run)) for kind, there in belongs.items() if there}


def told_in(ledger: Ledger, run: str) -> list[Hypothesis]:
    """The hypotheses of a run and of its second look; those of the round without comments only compare."""
    return [
        hypothesis for one in (run, round_run("second_look", run)) for _, hypothesis in ledger.of(Hypothesis, run=one)
    ]


def with_rounds(
    given: BriefInput, first: RoundEnd, later: Mapping[Round, RoundEnd], files: Mapping[str, bytes]
) -> BriefInput:
    """The brief's input with what later rounds and step-time tables say. Raises BadFileError for a table."""
    second, without = later.get("second_look"), later.get("without_comments")
    return replace(
        given,
        second_look=_second_look(second) if second else None,
        without_comments=_without_comments(first, without) if without else None,
        steps=step_tables(files),
    )


def _second_look(second: RoundEnd) -> SecondLook:
    return SecondLook(
        second.run,
        tuple(TookPart(one.reviewer, one.label) for one in second.reviews),
        tuple(LeftOut(one.reviewer, one.reason, one.detail) for one in second.left),
    )


def _without_comments(first: RoundEnd, without: RoundEnd) -> WithoutComments:
    compared, complete = ({one.reviewer for one in end.reviews} for end in (without, first))
    flagged = only_with_comments([told for told in first.told if told.reviewer in compared], without.told)
    unsaid = only_with_comments([told for told in without.told if told.reviewer in complete], first.told)
    silenced = tuple(told for told in without.told if told.hypothesis in unsaid)
    return WithoutComments(
        only_with_comments=flagged,
        not_compared=frozenset(complete - compared),
        failed_by_comments=frozenset({one.reviewer for one in first.left} & compared),
        perhaps_reworded=perhaps_in_other_words((one for one in first.told if one.hypothesis in flagged), silenced),
        silenced=silenced,
    )
