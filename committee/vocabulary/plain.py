"""Text that means what it looks like: no character that hides, moves or reorders what a person or a terminal sees."""

import re
from typing import Annotated

from pydantic import AfterValidator

from harness.vocabulary.hidden import hidden

# Control characters (C0 but tab and line feed, delete, C1), separators that only some programs take for line ends,
# characters that turn the direction of writing, and halves of surrogate pairs.
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def unseen(text: str) -> str:
    """The number of the first character that nobody sees, such as U+200B; empty where there is none."""
    return next((f"U+{ord(text[place]):04X}" for place in hidden(text)), "")


def _one_line(value: str) -> str:
    if CONTROL.search(value) or "\n" in value or "\t" in value:
        raise ValueError("holds a line break, a tab or a control character; write it as one plain line")
    if said := unseen(value):
        raise ValueError(f"holds {said}, which nobody sees; take it out")
    return value


OneLine = Annotated[str, AfterValidator(_one_line)]
