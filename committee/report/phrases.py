"""The report's own sentences, known by a key and said in a shipped language. Recorded words pass through untouched.

A `Phrase` is its English sentence, so that pure code and the terminal use it as text; a page says it in its language.
"""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from string import Formatter
from types import MappingProxyType

from markupsafe import Markup, escape

from committee.report.cleaning import clean
from committee.vocabulary.language import Language

LISTED = "list_comma"  # what stands between the parts of a list
Piece = str | int | float | tuple[str, ...]  # what a sentence is filled with; phrases and markup are text too


class Phrase(str):
    """One sentence of the report's own, as English text; `said` and `marked_up` say it in any shipped language."""

    key: str
    pieces: Mapping[str, Piece]

    def __new__(cls, key: str, /, **pieces: Piece) -> "Phrase":
        """Raises KeyError for a key that is in no language, or for a piece that its sentence asks for and misses."""
        made = super().__new__(cls, _fill(key, pieces, Language.EN))
        made.key, made.pieces = key, MappingProxyType(pieces)
        return made


def counted(key: str, count: int) -> Phrase:
    """A count with its noun: the sentence `KEY_one` or `KEY_many`."""
    return Phrase(f"{key}_one" if count == 1 else f"{key}_many", n=count)


def listed(*parts: str) -> Phrase:
    """Parts one after the other, with the language's comma between them."""
    return Phrase("listed", parts=parts)


def said(text: Piece, language: Language) -> str:
    """A text in a language: a phrase is said in it, recorded words stay as they are."""
    if isinstance(text, Phrase):
        return _fill(text.key, text.pieces, language)
    if isinstance(text, tuple):
        return sentences(language)[LISTED].join(said(part, language) for part in text)
    return str(text)


def marked_up(text: Piece, language: Language) -> Markup:
    """The same for a page: everything escaped and cleaned but markup that the report made itself."""
    return Markup(_html(text, language))  # noqa: S704 - every part is escaped or was markup


@cache
def sentences(language: Language) -> Mapping[str, str]:
    """Every sentence of a language by key."""
    file = resources.files("committee.report").joinpath("templates", f"words.{language.value}.toml")
    return MappingProxyType(tomllib.loads(file.read_text(encoding="utf-8")))


def _html(text: Piece, language: Language) -> str:
    if isinstance(text, Phrase):
        pieces = text.pieces
        return "".join(
            literal if name is None else literal + _html(pieces[name], language)
            for literal, name in _parts(text.key, language, markup=True)
        )
    if isinstance(text, Markup):
        return str(text)
    if isinstance(text, tuple):
        return str(escape(sentences(language)[LISTED])).join(_html(part, language) for part in text)
    return str(escape(clean(str(text))))


def _fill(key: str, pieces: Mapping[str, Piece], language: Language) -> str:
    return "".join(
        literal if name is None else literal + said(pieces[name], language)
        for literal, name in _parts(key, language, markup=False)
    )


@cache
def _parts(key: str, language: Language, *, markup: bool) -> tuple[tuple[str, str | None], ...]:
    """A sentence cut at its pieces: the words before each, and its name."""
    parsed = Formatter().parse(sentences(language)[key])
    return tuple((str(escape(literal)) if markup else literal, name) for literal, name, _, _ in parsed)
