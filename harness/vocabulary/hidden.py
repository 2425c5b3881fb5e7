"""Characters of a text that nobody sees: they hide words, join them, turn their direction or look blank. Pure."""

import re
import unicodedata
from collections.abc import Iterator

JOINERS = "\u200c\u200d"  # some scripts and emoji are written with them
# Arabic and what is written like it, the scripts of India and South-East Asia, Khmer, Mongolian.
JOINED_SCRIPTS = re.compile("[\u0600-\u109f\u1780-\u18af]")
JOINED_EMOJI = re.compile("[\u2190-\u2bff\ufe0f\U0001f000-\U0001faff]")  # a variation sign may stand between
SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]")  # one after a character chooses how it is drawn
# Fillers of Hangul, marks that are never drawn, and the plane that programs are told to draw nothing for.
UNDRAWN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u3164\uffa0\ufff0-\ufff8\U000e0000-\U000e0fff]"
)

# All that is dropped where words are looked for: what is hidden wherever it stands, and joiners and selectors.
DROPPED = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff]"
)


def without_hidden(text: str) -> str:
    """The text as it would be compared with what a person reads: without them, and without joiners."""
    return text if text.isascii() else DROPPED.sub("", text)


def hidden(text: str) -> Iterator[int]:
    """Where they stand, counted from 0. Control codes are another matter; a joiner counts where no script needs it."""
    if text.isascii():
        return
    for place, char in enumerate(text):
        if not char.isascii() and _is_hidden(text, place, char):
            yield place


def _is_hidden(text: str, place: int, char: str) -> bool:
    if char in JOINERS:
        return not any(_joins(kind, text, place) for kind in (JOINED_SCRIPTS, JOINED_EMOJI))
    before = text[max(0, place - 1) : place]
    if SELECTORS.match(char):
        return not before or before.isspace() or bool(SELECTORS.match(before))
    return unicodedata.category(char) == "Cf" or bool(UNDRAWN.match(char))


def _joins(kind: re.Pattern[str], text: str, joiner: int) -> bool:
    """Whether what stands before and after it is written with joiners, and is seen itself."""
    if not 0 < joiner < len(text) - 1:
        return False
    sides = (joiner - 1, joiner + 1)
    return all(kind.match(text[side]) and not _is_hidden(text, side, text[side]) for side in sides)
