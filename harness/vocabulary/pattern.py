"""Which regular expressions may be searched for in a log while production is away: only those of bounded work.

Patterns come from reviewers, and the search cannot be interrupted. Admitted is what takes at most the square of a
line's length: nothing repeated that is itself a group, no look at the text twice, and open-ended repeats (`*`, `+`,
`{n,}`) that can end in one way only: before something that they do not match, or at the pattern's end. One
repeat that can end anywhere, such as `.*`, may stand instead, alone. What is tried at each place has a limit as well.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

MAX_LINE = 2000  # longer lines are cut before they are searched
MAX_PATTERN = 200  # characters
MAX_COUNT = 32  # of a bounded repeat {m,n}
MAX_WAYS = 16  # ways through alternatives, `?` and {m,n}, all multiplied
MAX_AFTER = 40  # characters after a repeat that can end anywhere, times the ways

_TOKEN = re.compile(
    r"""(?P<back>\\[1-9])
      |(?P<atom>\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|N\{[^}]*\}|[0-7]{1,3}|.)
         |\[\^?\]?(?:\\.|[^\]\\])*\]
         |[^\\()|])
      |(?P<odd>\((?=\?)(?!\?:|\?P<))
      |(?P<open>\((?:\?:|\?P<\w+>)?)
      |(?P<close>\))
      |(?P<bar>\|)""",
    re.VERBOSE | re.DOTALL,
)
_REPEAT = re.compile(r"(?:[*+?]|\{(?:(?P<low>\d*)(?P<comma>,)(?P<high>\d*)|(?P<count>\d+))\})[?+]?")
_PLAIN = re.compile(r"\\?[^\w\s\\.^$*+?()\[\]{}|]|\\[.^$*+?()\[\]{}|\\ ]|[\w ]")

_APART = {r"\s": (r"\d", r"\w", r"\S"), " ": (r"\d", r"\w", r"\S"), r"\d": (r"\s", r"\D")}  # no character is both


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    low: int = 1
    high: int | None = 1  # none: open-ended

    @property
    def repeated(self) -> bool:
        """Whether it has a repeat at all."""
        return (self.low, self.high) != (1, 1)


@dataclass
class _Ways:
    """Ways through alternatives and bounded repeats; a group's branches are counted where it opens."""

    count: int = 1
    bars: list[int] = field(default_factory=lambda: [1])

    def take(self, token: _Token) -> None:
        if token.kind == "open":
            self.bars.append(1)
        elif token.kind == "bar":
            self.bars[-1] += 1
        elif token.kind == "close" and len(self.bars) > 1:
            self.count *= self.bars.pop()
        elif token.high is not None:
            self.count *= token.high - token.low + 1

    def all(self) -> int:
        """Every way, the outermost alternatives included."""
        return self.count * self.bars[0]


def slowness(pattern: str) -> str | None:
    """Why a search for the pattern might take too long, in a few words; none where its work is bounded."""
    if len(pattern) > MAX_PATTERN:
        return f"is longer than {MAX_PATTERN} characters"
    tokens = _tokens(pattern)
    kinds = {token.kind for token in tokens}
    if "odd" in kinds or "back" in kinds:
        return "looks around or back; only plain groups are searched for"
    if any(token.repeated and token.kind in ("open", "close", "bar") for token in tokens):
        return "repeats a group"
    if any(max(token.low, token.high or 0) > MAX_COUNT for token in tokens):
        return f"repeats something more than {MAX_COUNT} times"
    ways = _Ways()
    for token in tokens:
        ways.take(token)
    if ways.all() > MAX_WAYS:
        return f"can be followed in more than {MAX_WAYS} ways"
    return _open_ended(tokens, ways.all())


def _open_ended(tokens: Sequence[_Token], ways: int) -> str | None:
    places = [index for index, token in enumerate(tokens) if token.high is None]
    unsure = [index for index in places if not _ends_in_one_way(tokens, index)]
    if unsure and len(places) > 1:
        return "has an open-ended repeat beside one that can end anywhere"
    if unsure and ways * sum(token.high or 1 for token in tokens[unsure[0] + 1 :] if token.kind == "atom") > MAX_AFTER:
        return "has too much after a repeat that can end anywhere"
    return None


def _ends_in_one_way(tokens: Sequence[_Token], index: int) -> bool:
    if index + 1 == len(tokens):
        return True
    this, after = tokens[index].text, tokens[index + 1]
    if after.kind != "atom" or after.low < 1:
        return False
    plain = _PLAIN.fullmatch(after.text) is not None and re.fullmatch(this, after.text[-1]) is None
    return plain or after.text in _APART.get(this, ())


def _tokens(pattern: str) -> tuple[_Token, ...]:
    """The pattern's parts with their repeats. It compiles, so that everything is a token."""
    found: list[_Token] = []
    at = 0
    while (match := _TOKEN.match(pattern, at)) is not None:
        kind, at = str(match.lastgroup), match.end()
        repeat = _REPEAT.match(pattern, at)
        if repeat is None or kind in ("open", "bar", "odd"):
            found.append(_Token(kind, match.group()))
            continue
        at = repeat.end()
        found.append(_Token(kind, match.group(), *_limits(repeat)))
    return tuple(found)


def _limits(repeat: re.Match[str]) -> tuple[int, int | None]:
    sign = repeat.group()[0]
    if sign != "{":
        return {"*": (0, None), "+": (1, None), "?": (0, 1)}[sign]
    if repeat["comma"] is None:
        return int(repeat["count"]), int(repeat["count"])
    return int(repeat["low"] or 0), int(repeat["high"]) if repeat["high"] else None
