"""Whether a quote stands in the frozen revision, and at which line. Pure; blanks count alike, letters do not.

A quote that stands elsewhere in its file is taken to its line: reviewers count badly and copy well. One that stands
nowhere in the file was invented.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from itertools import accumulate

from committee.vocabulary.review import AnswerCitation, AnswerHypothesis
from ledger.entries import Citation

Files = Mapping[str, bytes]  # path: content, the revision's


def found_line(content: bytes, line: int, quote: str) -> int | None:
    """The line, from 1, at which the quote begins: `line` if it stands there, else the nearest; none if nowhere.

    An empty quote stands nowhere, and a binary file holds no text.
    """
    wanted = " ".join(quote.split())
    try:
        lines = content.decode("utf-8").replace("\r\n", "\n").split("\n")
    except UnicodeDecodeError:
        return None
    if not wanted:
        return None
    words = [(word, number) for number, text in enumerate(lines, start=1) for word in text.split()]
    starts = list(accumulate((len(word) + 1 for word, _ in words), initial=0))
    text = " ".join(word for word, _ in words)
    places = [words[bisect_right(starts, at.start()) - 1][1] for at in re.finditer(f"(?={re.escape(wanted)})", text)]
    return min(places, key=lambda place: (abs(place - line), place), default=None)


def checked(cited: AnswerCitation, files: Files) -> Citation:
    """The citation with the line at which its quote really stands."""
    line = found_line(files.get(cited.file, b""), cited.line, cited.quote)
    return Citation(file=cited.file, line=cited.line, quote=cited.quote, found_line=line)


def false_quotes(hypotheses: Iterable[AnswerHypothesis], files: Files) -> tuple[int, int]:
    """How many quotes of a review stand nowhere in the files they cite, and of how many."""
    found = [checked(cited, files).found_line for told in hypotheses for cited in told.citations]
    return sum(line is None for line in found), len(found)
