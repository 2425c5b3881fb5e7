"""A table where there is room for it, else one stanza a row: no word and no number is ever broken inside."""

from collections.abc import Iterator
from textwrap import wrap

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

UNBOUNDED = 10_000  # columns: wider than any table, so that it is measured as it would like to be
INDENT = 4  # of a cell below its heading


def print_table(console: Console, table: Table) -> None:
    """Print the table; where a word of it would be cut or broken at the console's width, row by row instead.

    A column that is `no_wrap` needs its longest line, any other its longest word. Cells and headings are plain text.
    """
    if _least(console, table) <= console.width:
        console.print(table)
        return
    if table.title:
        console.print(table.title)
    for line in _stanzas(console, table):
        console.print(line, overflow="ignore", crop=False)
    if table.caption:
        console.print(table.caption)


def _least(console: Console, table: Table) -> int:
    """The fewest columns in which everything stays whole."""
    wide = console.options.update_width(UNBOUNDED)
    least = Measurement.get(console, wide, table).minimum
    for column in table.columns:
        if column.no_wrap:
            cells = [Measurement.get(console, wide, cell) for cell in (column.header, *column.cells)]
            least += max(cell.maximum for cell in cells) - max(cell.minimum for cell in cells)
    return least


def _stanzas(console: Console, table: Table) -> Iterator[Text]:
    """The first cell of a row on a line of its own, below it every other one that says something, with its heading."""
    headings = [str(column.header) for column in table.columns]
    width = max(map(len, headings[1:]), default=0)
    for row in zip(*(column.cells for column in table.columns), strict=True):
        first, *rest = (cell if isinstance(cell, Text) else Text(str(cell)) for cell in row)
        yield first
        for heading, cell in zip(headings[1:], rest, strict=True):
            if cell.plain:
                yield from _under(console, f"  {heading.ljust(width)}  ", Text(" ").join(cell.split("\n")))


def _under(console: Console, heading: str, cell: Text) -> Iterator[Text]:
    """A cell beside its heading, wrapped between words only; below it where its longest word has no room there."""
    longest = max(map(len, cell.plain.split()), default=0)
    indent = len(heading)
    if longest > console.width - indent:
        indent = INDENT
        yield Text(heading.rstrip())
        heading = " " * indent
    room = max(1, console.width - indent)
    for line in wrap(cell.plain, room, break_long_words=False, break_on_hyphens=False):
        yield Text.assemble(heading, (line, cell.style))
        heading = " " * indent
