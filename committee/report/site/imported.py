"""Pure: a past that was brought in: pages of notes as they were, other engines' numbers. Nothing here is measured."""

from dataclasses import dataclass
from itertools import groupby

from committee.importing.conflicts import Conflict, conflicts
from committee.report.history import Stamped
from committee.report.site.record import Record
from ledger.entries import ImportedPage, ImportedPiece, Reference


@dataclass(frozen=True)
class Passage:
    """Pieces of one form one after the other: a table's rows, or single pieces."""

    form: str
    pieces: tuple[ImportedPiece, ...]

    @property
    def columns(self) -> int:
        """Cells of the widest row."""
        return max((len(piece.cells) for piece in self.pieces), default=0)


@dataclass(frozen=True)
class NotesPage:
    """One imported page."""

    item: Stamped[ImportedPage]

    @property
    def name(self) -> str:
        """What it is found by."""
        return str(self.item.seq)

    @property
    def passages(self) -> tuple[Passage, ...]:
        """Its pieces as a browser shows them; rules only separate a table's head, blanks only paragraphs."""
        table = ("row", "rule")
        found: list[Passage] = []
        for in_table, several in groupby(self.item.payload.pieces, lambda piece: piece.form in table):
            pieces = tuple(several)
            if in_table:
                found.append(Passage("table", tuple(piece for piece in pieces if piece.form == "row")))
            else:
                found += [Passage(piece.form, (piece,)) for piece in pieces if piece.form != "blank"]
        return tuple(passage for passage in found if passage.pieces)


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
