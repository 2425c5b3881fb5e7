"""Words of a launch script that are numbers, and those that only look like some. Pure."""

import math
import re

from harness.vocabulary.base import Scalar

# What names a thing is text whatever its digits: a revision 1.10 is not 1.1.
NAMES = re.compile(r"(revision|version|name|alias|model|tokenizer|path|file|dir|key|host|parser|template|id)$")
FLOAT = re.compile(r"[+-]?(\d+\.\d*|\.\d+|\d+)(e[+-]?\d+)?", re.IGNORECASE)
GROUPED = re.compile(r"[+-]?[1-9]\d{0,2}(_\d{3})+")  # digits as Python reads them; C++ stops at the first line
HUMAN = re.compile(r"\d+(\.\d+)?[kmgt]", re.IGNORECASE)


def scalar(key: str, word: str, *, python: bool) -> Scalar:
    """A finite number where the flag's engine reads the same one from the word, else the word. `python`: the engine
    reads its flags as Python does."""
    for kind in (int, float):
        try:
            if str(kind(word)) == word and math.isfinite(kind(word)):
                return kind(word)
        except ValueError:
            continue
    if NAMES.search(key):
        return word
    if python and GROUPED.fullmatch(word):
        return int(word)
    if FLOAT.fullmatch(word) and not word.lstrip("+-").isdigit() and math.isfinite(float(word)):
        return float(word)
    return word


def unread(key: str, value: Scalar) -> str | None:
    """One sentence about text that a person reads as a number and no rule does; none for anything else."""
    if not isinstance(value, str) or NAMES.search(key) or not (HUMAN.fullmatch(value) or GROUPED.fullmatch(value)):
        return None
    letters = "; in vLLM k is 1000 and K is 1024" if HUMAN.fullmatch(value) else ""
    return f"--{key} {value} is not read as a number, so no rule computes with it; write its digits{letters}"
