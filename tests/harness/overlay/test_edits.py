"""Edits of a script's text: literal, counted, and the lines that they stand on."""

from harness.overlay.edits import edited, lines_of
from tests.harness.overlay.ground import literal, moved

TEXT = b"A=1\nB=2 \\\n  C=3\n"


def test_every_edit_is_made_in_order_or_none() -> None:
    assert edited(TEXT, [literal("A=1", "A=9"), literal("C=3", "")], "s") == b"A=9\nB=2 \\\n  \n"
    assert (
        edited(TEXT, [literal("A=1", "B=2"), literal("B=2", "x")], "s") == "'B=2' stands 2 times in 's', must be once"
    )
    assert edited(TEXT, [moved("/lib", "/new", least=0)], "s") == TEXT


def test_the_lines_of_a_text() -> None:
    assert lines_of(TEXT, "A=1") == {0} and lines_of(TEXT, "C=3\n") == {2} and lines_of(TEXT, "no") == frozenset()
    assert lines_of(TEXT, "B=2 \\\n  C") == {1, 2}
