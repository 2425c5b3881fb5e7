"""Whether a quote stands in the frozen revision, and at which line. Pure; blanks count alike, letters do not.

A quote that stands elsewhere in its file is taken to its line: reviewers count badly and copy well. One that stands
nowhere in the file was invented. One that would be found by chance proves nothing and counts as not found: a quote of a
few letters, and one that stands in many places unless it is long and stands just where the reviewer says.
"""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from committee.vocabulary.review import AnswerCitation, AnswerHypothesis
from ledger.entries import Citation

Files = Mapping[str, bytes]  # path: content, the revision's
SHORTEST = 5  # characters without blanks; `int`, `}` and `= 0;` stand in nearly every file
MOST_PLACES = 5  # in one file; what stands more often (`float`, `return`) says nothing about the place meant
LONG = 12  # characters without blanks; such a line may be repeated in the source, so its stated line decides
KEPT_FILES = 32  # looked into at once; a folder's text files, each a few times its size in memory


@dataclass(frozen=True)
class _Text:
    """A file as one line of words, with where each of its lines begins in that."""

    words: str
    starts: "array[int]"  # of every line that is not blank
    numbers: "array[int]"  # its line number, from 1

    def line_at(self, place: int) -> int:
        return self.numbers[bisect_right(self.starts, place) - 1]

    def begins_on(self, line: int, quote: str) -> bool:
        """Whether the quote begins on this very line."""
        at = bisect_left(self.numbers, line)
        if at == len(self.numbers) or self.numbers[at] != line:
            return False
        following = self.starts[at + 1] if at + 1 < len(self.starts) else len(self.words)
        return 0 <= self.words.find(quote, self.starts[at], following + len(quote)) < following


def found_line(content: bytes, line: int, quote: str) -> int | None:
    """The line, from 1, at which the quote begins: `line` if it stands there, else the nearest; none if nowhere.

    None also where it would be found by chance, and in a binary file, which holds no text.
    """
    wanted = " ".join(quote.split())
    length = len(wanted.replace(" ", ""))
    text = _text(content) if length >= SHORTEST else None
    if text is None:
        return None
    places = _places(text.words, wanted)
    if len(places) > MOST_PLACES:
        return line if length >= LONG and text.begins_on(line, wanted) else None
    return min((text.line_at(place) for place in places), key=lambda found: (abs(found - line), found), default=None)


def checked(cited: AnswerCitation, files: Files) -> Citation:
    """The citation with the line at which its quote really stands."""
    line = found_line(files.get(cited.file, b""), cited.line, cited.quote)
    return Citation(file=cited.file, line=cited.line, quote=cited.quote, found_line=line)


def false_quotes(hypotheses: Iterable[AnswerHypothesis], files: Files) -> tuple[int, int]:
    """How many quotes of a review stand nowhere in the files they cite, and of how many."""
    found = [checked(cited, files).found_line for told in hypotheses for cited in told.citations]
    return sum(line is None for line in found), len(found)


def _places(words: str, wanted: str) -> list[int]:
    """Where it stands, up to one more than is asked for: a file of one repeated word is not searched to its end."""
    places: list[int] = []
    at = words.find(wanted)
    while at >= 0 and len(places) <= MOST_PLACES:
        places.append(at)
        at = words.find(wanted, at + 1)
    return places


@lru_cache(maxsize=KEPT_FILES)
def _text(content: bytes) -> _Text | None:
    """Read once for all quotes of all reviewers."""
    try:
        lines = content.decode("utf-8").replace("\r\n", "\n").split("\n")
    except UnicodeDecodeError:
        return None
    starts, numbers, whole, length = array("q"), array("q"), list[str](), 0
    for number, line in enumerate(lines, start=1):
        words = " ".join(line.split())
        if words:
            starts.append(length)
            numbers.append(number)
            whole.append(words)
            length += len(words) + 1
    return _Text(" ".join(whole), starts, numbers)
