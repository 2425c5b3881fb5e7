"""Text from outside without characters that hide or reorder what a person reads. Pure."""

import unicodedata

CLEANED = frozenset({"Cc", "Cf", "Cs", "Cn", "Zl", "Zp"})  # control, format, unpaired, unassigned; line separators


def clean(text: str) -> str:
    """Text from outside without control, direction, separator or unassigned characters; line breaks and tabs stay."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(char if char in "\n\t" or unicodedata.category(char) not in CLEANED else "\ufffd" for char in text)
