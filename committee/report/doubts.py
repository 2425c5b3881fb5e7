"""What does not stand any more, and why, in the report's own words: struck, replaced, or open again."""

from collections.abc import Mapping
from dataclasses import dataclass

from committee.report.phrases import Phrase
from ledger.entries import Invalidation, Supersession
from ledger.standing import Doubt, doubts
from ledger.store import Ledger


@dataclass(frozen=True)
class Doubtful:
    """Why one entry does not stand by itself any more."""

    struck: bool  # whether this very entry was named; else it rests on what was
    words: Phrase
    mark_seq: int  # the invalidation, supersession or tombstone
    mark_id: str


def doubtful(ledger: Ledger, newest: int) -> Mapping[str, tuple[Doubtful, ...]]:
    """By entry id, for everything that is struck, replaced or open again by marks up to entry `newest`."""
    named: dict[str, int] = {}
    return {
        node: said
        for node, found in doubts(ledger).items()
        if (said := tuple(_doubtful(ledger, one, named) for one in found if one.mark.seq <= newest))
    }


def mark_words(mark: Invalidation | Supersession) -> Phrase:
    """What a person's mark says."""
    if isinstance(mark, Supersession):
        return Phrase("doubt_replaced", person=mark.person, reason=mark.reason)
    if mark.fact is not None:
        return Phrase("doubt_struck_fact", fact=mark.fact, person=mark.person, reason=mark.reason)
    return Phrase("doubt_struck", person=mark.person, reason=mark.reason)


def _doubtful(ledger: Ledger, doubt: Doubt, named: dict[str, int]) -> Doubtful:
    return Doubtful(doubt.struck, _words(ledger, doubt, named), doubt.mark.seq, doubt.mark.id)


def _words(ledger: Ledger, doubt: Doubt, named: dict[str, int]) -> Phrase:
    mark = doubt.mark.payload
    if not isinstance(mark, Invalidation | Supersession):
        return Phrase("doubt_withheld")
    said = mark_words(mark)
    if doubt.struck:
        return said
    if isinstance(mark, Invalidation) and mark.fact is not None:
        return Phrase("doubt_open_fact", said=said)
    subject = mark.subject or ""
    if subject not in named:
        named[subject] = ledger.find(subject).seq
    return Phrase("doubt_open", seq=named[subject], said=said)
