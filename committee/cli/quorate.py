"""Whether a review run has ended without its quorum: nothing in it is asked again, so going on would end as before."""

from ledger.entries import Exclusion, Review, ReviewRun
from ledger.store import Ledger


def ended_without_quorum(ledger: Ledger, run: str) -> str | None:
    """One sentence with what begins anew; none where reviewers are still to be heard or enough were."""
    begun = ledger.of(ReviewRun, run=run)[-1][1]
    complete = {one.reviewer for _, one in ledger.of(Review, run=run)}
    left_out = {one.reviewer for _, one in ledger.of(Exclusion, run=run)}
    if len(complete) >= begun.quorum or {seat.name for seat in begun.reviewers} - complete - left_out:
        return None
    return (
        f"this run ended without quorum: {len(complete)} complete, {begun.quorum} wanted (left out: "
        f"{', '.join(sorted(left_out))}); `committee review {begun.proposal[:4]}` begins a new one"
    )
