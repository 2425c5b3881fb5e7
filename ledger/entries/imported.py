"""What a person brings from elsewhere: a page of notes, or another engine's benchmark. Imported, not measured here."""

from typing import ClassVar, Literal

from pydantic import Field

from ledger.entries.base import BlobRef, Part, Payload


class Quantity(Part):
    """A named number found in a piece, so that two sources which disagree can be shown side by side."""

    name: str = Field(min_length=1, description="the person's name for it")
    value: str = Field(description="as written in the source")


class ImportedPiece(Part):
    """One piece of a page; all pieces in order are the whole page, character for character."""

    form: Literal["heading", "row", "rule", "note", "blank"] = Field(description="what it is in the page")
    text: str = Field(description="the piece as written, its line end included")
    under: str = Field(description="the heading above it, empty where there is none")
    cells: tuple[str, ...] = Field(description="cells of a table's row, else empty")
    date: str | None = Field(description="day at its beginning, as YYYY-MM-DD, else none")
    about: bool = Field(description="whether the source says that the day is only about right")
    quantities: tuple[Quantity, ...] = Field(description="named numbers in it")


class ImportedPage(Payload):
    """A page of notes as it was, in its language. Historical; no verdict rests on it."""

    kind: ClassVar[str] = "imported_page"

    title: str = Field(description="what a person calls it")
    language: str = Field(description="language tag of its text, und where nobody said")
    source: BlobRef = Field(description="the file's bytes; its hash names the source")
    pieces: tuple[ImportedPiece, ...] = Field(description="the page in pieces")
    person: str = Field(description="who imported it")


class ReferenceResult(Part):
    """One result of another engine's benchmark."""

    test: str = Field(description="what was run, for example pp512 or tg128")
    settings: tuple[tuple[str, str], ...] = Field(description="settings that differ from row to row, sorted")
    tok_s: float = Field(ge=0, description="mean rate, tokens a second, inside one run of the benchmark")
    sd_tok_s: float | None = Field(description="standard deviation inside that run, none where it says nothing")
    samples: int = Field(ge=1, description="repetitions inside that run; not launches")


class Reference(Payload):
    """Another engine's benchmark beside a server's numbers, never in one ranking with them (lesson M12)."""

    kind: ClassVar[str] = "reference"

    target: str = Field(description="the target it is shown beside")
    engine: str = Field(description="the program, for example llama-bench")
    build: str = Field(description="its build as it says itself, empty where it does not")
    model: str = Field(description="model file as it says itself, empty where it does not")
    source: BlobRef = Field(description="the file that was imported")
    results: tuple[ReferenceResult, ...] = Field(min_length=1, description="every row")
    cautions: tuple[str, ...] = Field(description="traps that its settings or rows show, one sentence each")
    person: str = Field(description="who imported it")
