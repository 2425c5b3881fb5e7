"""Pure: a page of tables and dated notes in pieces that are, in order, the page again, character for character."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from harness.vocabulary.base import BadFileError
from harness.vocabulary.pattern import slowness
from ledger.entries.imported import ImportedPiece, Quantity

LONGEST_PIECE = 600  # characters; a longer line is cut after sentences, so that each piece says one thing
SENTENCE_END = re.compile(r"(?<=[。！？])|(?<=[.!?] )")
HEADING = re.compile(r"^#{1,6}\s+(.+?)\s*$")
ROW = re.compile(r"^\s*\|.*\|\s*$")
RULE = re.compile(r"^\s*\|?[\s:|-]*-{3}[\s:|-]*$")
DATED = re.compile(
    r"^[\s#*>\-•|]*(?P<about>約|大約|about|around|approx\.?|circa|~)?\s*"
    r"(?P<year>\d{4})[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Named:
    """A number to look for: a name, and an expression whose first group is the number."""

    name: str
    pattern: re.Pattern[str]

    @classmethod
    def from_words(cls, words: str) -> "Named":
        """From `NAME=EXPRESSION`. Raises BadFileError."""
        name, _, expression = words.partition("=")
        try:
            pattern = re.compile(expression)
        except re.error as error:
            raise BadFileError(f"quantity {name!r}: {expression!r} is no regular expression ({error})") from error
        if slow := slowness(expression):
            raise BadFileError(
                f"quantity {name!r}: {expression!r} {slow}, so a search may take too long; use a simpler one"
            )
        if not name.strip() or pattern.groups < 1:
            raise BadFileError(f"quantity {words!r} is not NAME=EXPRESSION with a group around the number")
        return cls(name.strip(), pattern)


def pieces(text: str, wanted: Sequence[Named] = ()) -> tuple[ImportedPiece, ...]:
    """Headings, table rows, rules, blanks and notes, in order."""
    found: list[ImportedPiece] = []
    under = ""
    for line in text.splitlines(keepends=True):
        heading = HEADING.match(line)
        if heading:
            under = heading[1]
        for piece in _cut(line):
            found.append(_piece(piece, under, wanted))
    return tuple(found)


def named_later(found: Sequence[ImportedPiece], wanted: Sequence[Named]) -> tuple[ImportedPiece, ...]:
    """The same pieces with more numbers named; a name that is named again is found anew, the others stay."""
    names = {one.name for one in wanted}
    return tuple(
        piece.model_copy(
            update={
                "quantities": (
                    *(known for known in piece.quantities if known.name not in names),
                    *_quantities(piece.text, wanted),
                )
            }
        )
        for piece in found
    )


def _cut(line: str) -> Iterator[str]:
    """The line, or stretches of it that end with a sentence where it is long."""
    if len(line) <= LONGEST_PIECE or ROW.match(line):
        yield line
        return
    stretch = ""
    for sentence in SENTENCE_END.split(line):
        if stretch and len(stretch) + len(sentence) > LONGEST_PIECE:
            yield stretch
            stretch = ""
        stretch += sentence
    if stretch:
        yield stretch


def _piece(text: str, under: str, wanted: Sequence[Named]) -> ImportedPiece:
    form, cells = "note", tuple[str, ...]()
    if not text.strip():
        form = "blank"
    elif HEADING.match(text):
        form = "heading"
    elif RULE.match(text):
        form = "rule"
    elif ROW.match(text):
        form, cells = "row", tuple(cell.strip() for cell in text.strip().strip("|").split("|"))
    dated = DATED.match(text)
    return ImportedPiece.model_validate(
        {
            "form": form,
            "text": text,
            "under": under if form != "heading" else "",
            "cells": cells,
            "date": _day(dated),
            "about": bool(dated and dated["about"]),
            "quantities": _quantities(text, wanted),
        }
    )


def _day(dated: re.Match[str] | None) -> str | None:
    """The day, if there is such a day."""
    if dated is None:
        return None
    try:
        return date(int(dated["year"]), int(dated["month"]), int(dated["day"])).isoformat()
    except ValueError:
        return None


def _quantities(text: str, wanted: Sequence[Named]) -> tuple[Quantity, ...]:
    return tuple(
        Quantity(name=one.name, value=match[1]) for one in wanted for match in one.pattern.finditer(text) if match[1]
    )
