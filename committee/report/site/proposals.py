"""Pure: one proposal from its question through briefs, arms and measuring runs to what a person decided."""

from dataclasses import dataclass

from committee.report.claims import Claim
from committee.report.entries import Category, DatedEntry, claims_of
from committee.report.lines import Question
from committee.report.phrases import Phrase
from committee.report.site.record import Record


@dataclass(frozen=True)
class Reviewed:
    """One review run and what was claimed in it."""

    entry: DatedEntry
    claims: tuple[Claim, ...]


@dataclass(frozen=True)
class ProposalPage:
    """One proposal."""

    name: str
    title: str
    question: str
    questions: tuple[Question, ...]  # one a target
    reviews: tuple[Reviewed, ...]
    runs: tuple[DatedEntry, ...]
    others: tuple[DatedEntry, ...]  # decisions, exclusions, what was parked


def proposal_pages(record: Record) -> tuple[ProposalPage, ...]:
    """A page for each."""
    return tuple(_page(record, name) for name in record.asked if name is not None)


def _page(record: Record, name: str) -> ProposalPage:
    questions, entries = record.asked[name], record.about.get(name, ())
    known = next((one for one in questions if not isinstance(one.title, Phrase)), None)
    return ProposalPage(
        name=name,
        title=known.title if known else name,
        question=known.question if known else "",
        questions=questions,
        reviews=tuple(
            Reviewed(entry, claims_of(record.history, record.views, entry))
            for entry in entries
            if entry.category is Category.REVIEWS
        ),
        runs=tuple(entry for entry in entries if entry.run is not None),
        others=tuple(entry for entry in entries if entry.run is None and entry.category is not Category.REVIEWS),
    )
