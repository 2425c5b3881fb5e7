"""A table keeps its words and numbers whole at every width: as a table where it fits, else row by row."""

import io

from rich.console import Console
from rich.table import Column, Table

from harness.cli.narrow import print_table

ROWS = (
    ("threads-batch-16", "VALID\nAMBIGUOUS", "+133.8 to +159.3 %", "a longer sentence about it"),
    ("one", "VALID\nSAME", "", ""),
)


def shown(width: int) -> list[str]:
    """What a terminal of that width shows."""
    out = io.StringIO()
    table = Table(Column("arm", no_wrap=True), Column("verdict", no_wrap=True), Column("change", no_wrap=True), "note")
    table.title, table.caption = "a title", "a caption"
    for row in ROWS:
        table.add_row(*row)
    print_table(Console(file=out, width=width, color_system=None), table)
    return out.getvalue().splitlines()


def test_no_word_is_broken_at_any_width() -> None:
    whole = {word for row in ROWS for cell in row for word in cell.split()}
    for width in range(29, 110):
        lines = shown(width)
        assert whole <= {word for line in lines for word in line.split()}, width
        assert max(map(len, lines)) <= width


def test_without_room_each_row_is_a_stanza_with_what_it_says() -> None:
    assert shown(50) == [
        "a title",
        "threads-batch-16",
        "  verdict  VALID AMBIGUOUS",
        "  change   +133.8 to +159.3 %",
        "  note     a longer sentence about it",
        "one",
        "  verdict  VALID SAME",
        "a caption",
    ]
    assert shown(80)[1].startswith("┏")


def test_a_name_that_may_be_folded_does_not_break_the_words_beside_it() -> None:
    table = Table(Column("arm", overflow="fold"), "validity", "speed")
    table.add_row("a-rather-long-name-of-an-arm", "VALID", "AMBIGUOUS")
    out = io.StringIO()
    print_table(Console(file=out, width=30, color_system=None), table)
    assert out.getvalue().splitlines() == [
        "a-rather-long-name-of-an-arm",
        "  validity  VALID",
        "  speed     AMBIGUOUS",
    ]


def test_a_long_list_is_wrapped_between_its_names_and_never_inside() -> None:
    names = [f"spec-ngram-simple-size-{letter * count}" for letter, count in (("n", 1), ("m", 2), ("k", 40))]
    table = Table("target", "flags an arm may set")
    table.add_row("tp4", ", ".join(names))
    out = io.StringIO()
    print_table(Console(file=out, width=60, color_system=None), table)
    assert out.getvalue().splitlines() == [
        "tp4",
        "  flags an arm may set",
        f"    {names[0]}, {names[1]},",
        f"    {names[2]}",
    ]
