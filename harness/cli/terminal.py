"""Text from servers, reviewers and files as a terminal may have it: nothing in it moves the cursor or hides words.

What was recorded is a part of a line of ours: `one_line` keeps it there. `shown` is for text that is many lines.
"""

import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from rich.text import Text

from harness.vocabulary.hidden import hidden

KEPT = frozenset("\n\t")
WRITTEN = {"\n": "\\n", "\t": "\\t"}  # in a line of ours; as people write them
HARMFUL = frozenset({"Cc", "Cs", "Zl", "Zp"})  # control codes, halves of characters, line and paragraph separators


def shown(text: str) -> str:
    """The text with every control code, separator and character that nobody sees written as its escape; lines and tabs
    stay."""
    unseen = frozenset(hidden(text))
    return "".join(_escape(char) if place in unseen or _harmful(char) else char for place, char in enumerate(text))


def one_line(text: str) -> str:
    """The same on one line: a line break in recorded words would begin a line that looks like ours, a tab a column."""
    return shown("".join(WRITTEN.get(char, char) for char in text))


def cells(*words: str) -> tuple[Text, ...]:
    """Words for a row of a table: what servers and people wrote is neither markup nor control codes."""
    return tuple(Text(one_line(word)) for word in words)


def aligned(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """One line a row under a line of headings, every cell whole: ids and names are there to be copied and searched for.

    A terminal that is too narrow wraps a line; nothing is cut.
    """
    lines = [tuple(headings), *(tuple(one_line(cell) for cell in row) for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(headings))]
    for line in lines:
        yield "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()


def _harmful(char: str) -> bool:
    return char not in KEPT and unicodedata.category(char) in HARMFUL


def _escape(char: str) -> str:
    number = ord(char)
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
