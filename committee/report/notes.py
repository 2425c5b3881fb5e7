"""Pure: imported pages of notes as a browser shows them, on the one page and in the site. Nothing here is measured."""

from dataclasses import dataclass
from itertools import groupby

from committee.report.history import Stamped
from ledger.entries import ImportedPage, ImportedPiece


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
