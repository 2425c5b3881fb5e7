"""Why a server did not start, or gave itself up, named by a table of patterns in data (lesson S6): pure but for it."""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from pydantic import Field

from harness.shortened import shortened
from harness.vocabulary.base import Value
from harness.vocabulary.outcome import Reason
from harness.vocabulary.pattern import MAX_LINE

TABLE = "startup_failures.toml"
SHOWN_LINES = 2  # of the log, as evidence: the first says what, a second often says how much
SHOWN_CHARACTERS = 200  # of each of them
SEARCHED_CHARACTERS = 4 << 20  # from the end of the log; a server that fails has said why by then


class Failure(Value):
    """One known cause."""

    reason: Reason = Field(description="the reason code that it gets")
    title: str = Field(description="the cause in a few words")
    patterns: tuple[str, ...] = Field(min_length=1, description="regular expressions, each searched in single lines")
    do: str = Field(description="what to do about it")


class Failures(Value):
    """The whole table, the special before the general."""

    failure: tuple[Failure, ...] = Field(min_length=1, description="causes in the order in which they are tried")


@dataclass(frozen=True)
class Cause:
    """A cause that was recognised, with the lines that show it."""

    reason: Reason
    sentence: str  # what, the lines of the log, and what to do


@cache
def known_failures() -> tuple[Failure, ...]:
    """The table that ships. Raises BadFileError if it is damaged."""
    text = files("harness.gates").joinpath(TABLE).read_text(encoding="utf-8")
    return Failures.from_mapping(tomllib.loads(text), TABLE).failure


def recognised(log: str) -> Cause | None:
    """The first cause of the table that the log shows; none if it shows none of them."""
    lines = [line[:MAX_LINE] for line in log[-SEARCHED_CHARACTERS:].splitlines()]
    for failure in known_failures():
        found = [index for index, line in enumerate(lines) if any(re.search(each, line) for each in failure.patterns)]
        if found:
            return Cause(failure.reason, f"{failure.title}: {_shown(lines, found)}; {failure.do}")
    return None


def _shown(lines: list[str], found: list[int]) -> str:
    """The first different lines that matched, with their numbers in what was searched."""
    shown: dict[str, int] = {}
    for index in found:
        shown.setdefault(shortened(" ".join(lines[index].split()), SHOWN_CHARACTERS), index + 1)
    return " | ".join(f"log line {number}: {words!r}" for words, number in list(shown.items())[:SHOWN_LINES])
