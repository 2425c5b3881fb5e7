"""Where a quote stands: at its line, elsewhere in the file, or nowhere; and which quotes prove nothing."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from committee.review.citations import MOST_PLACES, SHORTEST, checked, false_quotes, found_line
from committee.vocabulary.review import AnswerCitation, AnswerHypothesis
from ledger.entries import Citation
from tests.committee.review.answers import hypothesis

TEXT = b"one slot\r\n\ttwo   slots\nthree\none slot again\n"
REPEATED = b"float x;\n  __syncthreads();\n" * (MOST_PLACES + 1) + b"\n__syncthreads(); // the last\n"


@pytest.mark.parametrize(
    ("line", "quote", "found"),
    [
        (1, "one slot", 1),
        (4, "one slot", 4),
        (3, "one slot", 4),  # the nearer of two
        (2, "two slots", 2),  # blanks count alike
        (9, "ne slot aga", 4),  # a word may be cut
        (1, "slot two", 1),  # over the end of a line
        (1, "One slot", None),
        (1, "", None),
        (1, " \n ", None),
        (1, ".*", None),
        (3, "t", None),  # one letter
        (3, "t h r e", None),
        (3, "thre", None),
        (3, "three", 3),
        (3, "slot 1 ", None),
    ],
)
def test_found_at(line: int, quote: str, found: int | None) -> None:
    assert found_line(TEXT, line, quote) == found


@pytest.mark.parametrize(
    ("line", "quote", "found"),
    [
        (1, "float", None),  # it stands everywhere, so it says nothing
        (3, "float x;", None),
        (4, "__syncthreads();", 4),  # long, and just where the reviewer says
        (5, "__syncthreads();", None),
        (14, "__syncthreads();", 14),
        (99, "__syncthreads();", None),
        (99, "__syncthreads(); // the last", 14),  # it stands once, so the line may be off
    ],
)
def test_what_stands_in_many_places_must_stand_just_there(line: int, quote: str, found: int | None) -> None:
    assert found_line(REPEATED, line, quote) == found


def test_a_binary_file_holds_no_words() -> None:
    assert found_line(b"\xff one slot", 1, "one slot") is None


@given(st.lists(st.text(st.sampled_from("abcdefgh \t"), max_size=12), min_size=1, max_size=5), st.data())
def test_words_of_a_line_are_found_at_a_line_that_holds_them(lines: list[str], data: st.DataObject) -> None:
    line = data.draw(st.integers(1, len(lines)))
    quote = lines[line - 1]
    wanted = line if len("".join(quote.split())) >= SHORTEST else None
    assert found_line("\n".join(lines).encode(), line, quote) == wanted


def test_a_huge_file_is_searched_in_bounded_time() -> None:
    """144 quotes, the most of one review, in the longest file; each place of the worst ones is nearly a match."""
    huge = (b"a" * 79 + b"\n") * (2 * 1024 * 1024 // 80)
    begun = time.process_time()
    for number in range(48):
        assert found_line(huge, number, "a" * 390 + "b") is None
        assert found_line(huge, number, f"never written {number}") is None
        assert found_line(huge, number + 1, "a" * 79) == number + 1
    assert time.process_time() - begun < 3


def test_the_file_that_is_cited_counts() -> None:
    files = {"a.md": TEXT, "b.md": b"nothing"}
    cited = AnswerCitation(file="a.md", line=2, quote="three")
    assert checked(cited, files) == Citation(file="a.md", line=2, quote="three", found_line=3)
    assert checked(cited.model_copy(update={"file": "b.md"}), files).found_line is None
    told = [
        AnswerHypothesis.model_validate_json(
            json.dumps(hypothesis(citations=[{"file": name, "line": 1, "quote": "three"}]))
        )
        for name in ("a.md", "b.md", "b.md")
    ]
    assert false_quotes(told, files) == (2, 3)
