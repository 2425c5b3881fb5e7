"""Marks of unanswered questions are found in comments, and only there."""

from harness.vocabulary.undecided import undecided, undecided_lines

TEXT = '''a = 1  # DECIDE: is it?
b = "# DECIDE: x"
c = """
# DECIDE: x
\\""" # DECIDE: x
"""  # DECIDE: x
d = \'\'\'
it's # DECIDE: x
\'\'\'
e = 'it # DECIDE: x'  # decided, UNDECIDED: x
# one 'quote
f = "a \\" b" #x; DECIDE: y
# we had to DECIDE: the fork or mainline, so DECIDE was taken
# DECIDE whether Ann or Bob is asked
'''


def test_marks_are_found_in_comments_only() -> None:
    assert undecided_lines(TEXT) == (1, 6, 12)
    assert undecided_lines("") == ()


def test_one_sentence_names_the_file_its_lines_and_what_to_do() -> None:
    assert undecided("a = 1", "t.toml") is None
    assert undecided("# DECIDE: x", "t.toml") == (
        "'t.toml' is a draft: line 1 is still marked DECIDE; answer what is asked and take the word DECIDE away"
    )
    said = undecided("# DECIDE: x\n" * 11, "t.toml")
    assert said is not None and "lines 1, 2, 3, 4, 5, 6, 7, 8 and 3 more are still marked" in said
