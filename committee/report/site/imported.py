"""Pure: a past that was brought in: pages of notes as they were, other engines' numbers. Nothing here is measured."""

from dataclasses import dataclass

from committee.importing.conflicts import Conflict, conflicts
from committee.report.history import Stamped
from committee.report.notes import NotesPage
from committee.report.site.record import Record
from ledger.entries import ImportedPage, Reference


@dataclass(frozen=True)
class ImportedIndex:
    """Everything that was brought in."""

    pages: tuple[Stamped[ImportedPage], ...]
    references: tuple[Stamped[Reference], ...]
    conflicts: tuple[Conflict, ...]


def imported_index(record: Record) -> ImportedIndex:
    """Of everything on record."""
    history = record.history
    return ImportedIndex(history.pages, history.references, conflicts(item.payload for item in history.pages))


def notes_pages(record: Record) -> tuple[NotesPage, ...]:
    """A page for each."""
    return tuple(NotesPage(item) for item in record.history.pages)
