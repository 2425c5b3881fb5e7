"""Marks of unanswered questions are found in comments, and only there."""

from harness.vocabulary.undecided import undecided, undecided_lines

TEXT = '''a = 1  # DECIDE: is it?
b = "# DECIDE"
c = """
# DECIDE
\\""" # DECIDE
"""  # DECIDE
d = \'\'\'
it's # DECIDE
\'\'\'
e = 'it # DECIDE'  # decided, UNDECIDED
# one 'quote
f = "a \\" b" #x DECIDE
'''


def test_marks_are_found_in_comments_only() -> None:
    assert undecided_lines(TEXT) == (1, 6, 12)
    assert undecided_lines("") == ()


def test_one_sentence_names_the_file_its_lines_and_what_to_do() -> None:
    assert undecided("a = 1", "t.toml") is None
    assert undecided("# DECIDE", "t.toml") == (
        "'t.toml' is a draft: line 1 is still marked DECIDE; answer what is asked and take the word DECIDE away"
    )
    said = undecided("# DECIDE\n" * 11, "t.toml")
    assert said is not None and "lines 1, 2, 3, 4, 5, 6, 7, 8 and 3 more are still marked" in said
