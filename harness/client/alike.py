"""Read an event that differs from an earlier one of its stream in nothing but its text, without parsing it again. Pure.

Engines repeat a quarter of a kilobyte with every token; to parse it each time was half of what an event cost.
"""

import json
from dataclasses import dataclass, replace
from typing import Self

from harness.client.said import Said, said_by

PROBE = "~"  # put where the text stood, it must be what is read


@dataclass(frozen=True)
class Alike:
    """What stands before and after the text in the JSON of an event, the quotation marks included."""

    before: bytes
    after: bytes

    @classmethod
    def of(cls, payload: bytes, said: Said) -> Self | None:
        """From an event that was parsed; none where it says more than a text, or its text's place is not certain."""
        if not is_plain(said.text) or said != Said(text=said.text):
            return None
        quoted = f'"{said.text}"'.encode()
        if payload.count(quoted) != 1:
            return None
        at = payload.index(quoted)
        found = cls(payload[: at + 1], payload[at + len(quoted) - 1 :])
        try:
            value = json.loads(found.before + PROBE.encode() + found.after)
        except ValueError:  # a comma between two strings looks like a text of one comma
            return None
        return found if said_by(value) == replace(said, text=PROBE) else None

    def text(self, payload: bytes) -> str | None:
        """The text of an event of the same form; none where it may have another, and is to be parsed."""
        if not (payload.startswith(self.before) and payload.endswith(self.after)):
            return None
        try:
            text = payload[len(self.before) : len(payload) - len(self.after)].decode()
        except UnicodeDecodeError:
            return None
        return text if is_plain(text) else None


def is_plain(text: str) -> bool:
    """Whether JSON writes a text, not empty, as it is: neither quotation mark, backslash nor control character."""
    return bool(text) and text.isprintable() and '"' not in text and "\\" not in text
