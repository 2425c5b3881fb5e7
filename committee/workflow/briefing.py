"""What a brief is made of, from the reviews and exclusions of one run. Pure."""

from collections.abc import Sequence

from committee.brief.content import BriefInput, LeftOut, TookPart
from committee.fuse.fused import Fused
from committee.vocabulary.language import shipped
from committee.vocabulary.proposal import ProposalHeader
from ledger.entries import Exclusion, Review, ReviewRun


def brief_input(
    begun: ReviewRun, header: ProposalHeader, reviews: Sequence[Review], left: Sequence[Exclusion], fused: Fused
) -> BriefInput:
    """Everybody in the order of their seats, whatever order they answered in."""
    order = [seat.name for seat in begun.reviewers]
    return BriefInput(
        header=header,
        tree=begun.tree,
        quorum=begun.quorum,
        took_part=tuple(
            TookPart(one.reviewer, one.label) for one in sorted(reviews, key=lambda one: order.index(one.reviewer))
        ),
        left_out=tuple(
            LeftOut(one.reviewer, one.reason, one.detail)
            for one in sorted(left, key=lambda one: order.index(one.reviewer))
        ),
        fused=fused,
        language=shipped(begun.language),
    )
