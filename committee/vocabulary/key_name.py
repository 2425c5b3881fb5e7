"""The name of the environment variable that holds a key. What is none may be the key itself: it is never repeated."""

import re
from typing import Annotated

from pydantic import AfterValidator

NAME = re.compile(r"[A-Z][A-Z0-9_]{0,79}")  # upper case only, so that a pasted key is refused in most cases
LONGEST_WORD, MOST_DIGITS = 15, 2  # no word of a variable's name is longer with more digits; upper-case keys are
SAID = (
    "name the variable, not the key: upper-case letters, digits and underscores, such as EXAMPLE_API_KEY "
    "(what stands there may be a key and is not repeated; if it is one, take it away here and from git, and renew it)"
)


def looks_like_a_key(value: str) -> bool:
    """Whether it is no name of a variable, or holds a word of letters and digits that only a key would."""
    words = value.split("_")
    random = (len(word) > LONGEST_WORD and sum(map(str.isdigit, word)) > MOST_DIGITS for word in words)
    return NAME.fullmatch(value) is None or any(random)


def _a_name(value: str) -> str:
    if looks_like_a_key(value):
        raise ValueError(SAID)
    return value


KeyName = Annotated[str, AfterValidator(_a_name)]
