"""Which hypotheses say nearly the same in other words. Pure; it proposes, it never drops or rewrites a text."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
from rapidfuzz import fuzz, process

from committee.fuse.fused import Alike, by_source
from ledger.entries import Hypothesis

# Percent of words that need no insertion or removal. At 90 one word in ten may be another one: the sentence is retold.
# Words are compared, not characters: one character more can be another word, and it takes a tenth of the time.
LIKE_PCT = 90
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|[^\W\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_LETTERS, _SURROGATES = 0x10F000, (0xD800, 0xE000)  # a million characters; with more distinct words two may share one
_ROWS = 512  # texts compared with all at once, so that the table stays small however many there are


def alike_in(hypotheses: Sequence[Hypothesis], place: Mapping[str, str]) -> tuple[Alike, ...]:
    """Sets of near-equal texts about one metric and load, sorted; those already in one place are left out.

    `place` is where fusing put each hypothesis, by id: the arm's fingerprint, or anything else that differs. Nearness
    is passed on: when A is like B and B like C, all three are one set, so the order they came in does not matter.
    """
    about: dict[tuple[str, int, tuple[str, ...]], list[Hypothesis]] = defaultdict(list)
    for told in sorted(hypotheses, key=by_source):
        about[told.prediction.metric, told.prediction.load, _numbers(told.mechanism)].append(told)
    found = [
        Alike(metric, load, members)
        for (metric, load, _), told in about.items()
        for members in _sets(told)
        if len({place[member.hypothesis] for member in members}) > 1
    ]
    return tuple(sorted(found, key=lambda one: by_source(one.hypotheses[0])))


def likeness_pct(one: str, other: str) -> float:
    """Percent of the words of two texts that need no insertion or removal."""
    return float(fuzz.ratio(*_spelled([words(one), words(other)])))


def words(text: str) -> tuple[str, ...]:
    """A text's words without case and punctuation; a character of Chinese or Japanese counts as a word."""
    return tuple(_WORD.findall(unicodedata.normalize("NFKC", text).casefold()))


def _numbers(text: str) -> tuple[str, ...]:
    """The numbers in a text, sorted: `four slots of 512` and `four slots of 2048` are two statements."""
    return tuple(sorted(_NUMBER.findall(unicodedata.normalize("NFKC", text))))


def _sets(told: Sequence[Hypothesis]) -> list[tuple[Hypothesis, ...]]:
    """The connected sets of at least two."""
    first = list(range(len(told)))  # each text's set is named by its first member

    def root(number: int) -> int:
        while first[number] != number:
            first[number] = first[first[number]]
            number = first[number]
        return number

    for one, other in _pairs(_spelled([words(member.mechanism) for member in told])):
        low, high = sorted((root(one), root(other)))
        first[high] = low
    sets: dict[int, list[Hypothesis]] = defaultdict(list)
    for number, member in enumerate(told):
        sets[root(number)].append(member)
    return [tuple(members) for members in sets.values() if len(members) > 1]


def _spelled(texts: Sequence[Sequence[str]]) -> list[str]:
    """Each text with one character for each distinct word: the fewer there are, the faster it is compared."""
    letters: dict[str, str] = {}
    for text in texts:
        for word in text:
            if word not in letters:
                letters[word] = _letter(len(letters) % _LETTERS)
    return ["".join([letters[word] for word in text]) for text in texts]


def _letter(number: int) -> str:
    """The character of that number, halves of surrogate pairs passed over."""
    first, behind = _SURROGATES
    return chr(number if number < first else number + behind - first)


def _pairs(texts: Sequence[str]) -> list[tuple[int, int]]:
    """Every pair whose likeness reaches the bound."""
    pairs: list[tuple[int, int]] = []
    workers = -1 if len(texts) > _ROWS else 1  # every core where it pays
    for start in range(0, len(texts), _ROWS):
        rows = texts[start : start + _ROWS]
        likeness = process.cdist(rows, texts[start:], scorer=fuzz.ratio, workers=workers)
        for row, column in np.argwhere(likeness >= LIKE_PCT).tolist():
            if row < column:
                pairs.append((start + row, start + column))
    return pairs
