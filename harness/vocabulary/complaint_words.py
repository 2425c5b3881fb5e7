"""What a checking library complains of, in our own words: a person who wrote a file need not know the library. Pure."""

from collections.abc import Mapping
from typing import Any

OWN_WORDS = "Value error, "  # which pydantic puts before the sentence of a check of ours
WHOLE, NUMBER, SWITCH = "must be a whole number", "must be a number", "must be true or false"
TEXT, LIST, TABLE = "must be text in quotes", "must be a list", "must be a table of keys"
PLAIN: Mapping[str, str] = {
    "missing": "missing key",
    "int_type": WHOLE,
    "int_parsing": WHOLE,
    "int_from_float": WHOLE,
    "int_parsing_size": WHOLE,
    "float_type": NUMBER,
    "float_parsing": NUMBER,
    "finite_number": "must be a finite number",
    "bool_type": SWITCH,
    "bool_parsing": SWITCH,
    "string_type": TEXT,
    "list_type": LIST,
    "tuple_type": LIST,
    "dict_type": TABLE,
    "mapping_type": TABLE,
    "model_type": TABLE,
    "model_attributes_type": TABLE,
    "none_required": "must be left away",
    "json_invalid": "is not valid JSON",
}
# With one of the library's figures, by the name it gives to it.
LIMITS: Mapping[str, tuple[str, str]] = {
    "greater_than_equal": ("ge", "must be at least {}"),
    "greater_than": ("gt", "must be more than {}"),
    "less_than_equal": ("le", "must be at most {}"),
    "less_than": ("lt", "must be less than {}"),
    "too_short": ("min_length", "needs at least {}"),
    "too_long": ("max_length", "has too many, at most {}"),
    "string_too_short": ("min_length", "is too short, at least {}"),
    "string_too_long": ("max_length", "is too long, at most {} signs"),
    "literal_error": ("expected", "must be {}"),
    "enum": ("expected", "must be {}"),
    "string_pattern_mismatch": ("pattern", "does not have the form {}"),
}


def in_our_words(kind: str, message: str, figures: Mapping[str, Any]) -> str:
    """One complaint: pydantic's type of error, its message and its figures. What we do not know is passed on."""
    if kind in PLAIN:
        return PLAIN[kind]
    name, words = LIMITS.get(kind, ("", ""))
    if name in figures:
        return words.format(figures[name])
    return message.removeprefix(OWN_WORDS)
