"""Pure: a script's text with its edits, or why they cannot be made. Standard library only, for the guardian too."""

import re
from typing import Any

Json = dict[str, Any]


def edited(text: bytes, edits: list[Json], where: str) -> bytes | str:
    """The text with every edit, in order, each found as often as it must be; else one sentence."""
    for edit in edits:
        find, put = edit["find"].encode(), edit["replace"].encode()
        pattern = re.escape(find) + (rb"(?![\w.-])" if edit["path"] else b"")
        text, count = re.subn(pattern, put.replace(b"\\", rb"\\"), text)
        if count < edit["least"] or (not edit["path"] and count != 1):
            return f"{edit['find']!r} stands {count} times in {where!r}, must be once"
    return text


def lines_of(text: bytes, find: str) -> frozenset[int]:
    """The lines, from 0 on, that the first place of a text takes up; none where it does not stand there."""
    at = text.find(find.encode())
    if at < 0:
        return frozenset()
    first = text.count(b"\n", 0, at)
    return frozenset(range(first, first + find.rstrip("\n").count("\n") + 1))
