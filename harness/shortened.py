"""Words that have to fit: cut between words and marked with an ellipsis. Pure; standard library only.

A word that takes more than half of the room (a path, a hash) is cut all the same: else nothing would be left.
"""

ELLIPSIS = "…"
BESIDE = " \t\r\n,;:|"  # what is not left hanging at the cut


def shortened(text: str, most: int) -> str:
    """The beginning of a text in at most `most` characters; whole where it fits."""
    if len(text) <= most:
        return text
    kept = text[: most - 1]
    if not text[most - 1].isspace():
        at = _last_gap(kept)
        kept = kept[:at] if at > most // 2 else kept
    return kept.rstrip(BESIDE) + ELLIPSIS


def ending(text: str, most: int) -> str:
    """The end of a text in at most `most` characters; whole where it fits."""
    return shortened(text[::-1], most)[::-1]


def _last_gap(text: str) -> int:
    return next((at for at in range(len(text) - 1, 0, -1) if text[at].isspace()), 0)
