"""Questions that a person has not answered yet: comments of a target's file that ask `DECIDE: ...`. Pure.

A draft's guesses are values like any others, so it is the mark that keeps them from being taken for answers. A comment
that only mentions the word is a person's own and none.
"""

import re

MARK = "DECIDE"
MOST_LINES = 8  # named in one sentence; the rest are counted
# Where a comment may begin in a TOML text: strings are skipped whole, so a mark inside one is none.
_PIECE = re.compile(
    r'"""(?:\\.|[^\\])*?"""|' + r"'''.*?'''|" + r'"(?:\\.|[^"\\\n])*"|' + r"'[^'\n]*'|(?P<comment>#[^\n]*)", re.DOTALL
)
_MARKED = re.compile(rf"#+\s*(?:[^#]*;\s+)?{MARK}:")  # as a draft writes it: first, or behind what is known


def undecided_lines(text: str) -> tuple[int, ...]:
    """Numbers of the lines of a TOML text whose comment asks with the mark."""
    return tuple(
        text.count("\n", 0, piece.start()) + 1
        for piece in _PIECE.finditer(text)
        if piece["comment"] and _MARKED.match(piece["comment"])
    )


def undecided(text: str, where: str) -> str | None:
    """One sentence about what is still to be answered in the file `where`; none if nothing is."""
    lines = undecided_lines(text)
    if not lines:
        return None
    shown = ", ".join(map(str, lines[:MOST_LINES]))
    more = f" and {len(lines) - MOST_LINES} more" if len(lines) > MOST_LINES else ""
    which = f"line {shown} is" if len(lines) == 1 else f"lines {shown}{more} are"
    return f"{where!r} is a draft: {which} still marked {MARK}; answer what is asked and take the word {MARK} away"
