"""Complaints about a file are in our own words."""

from typing import Literal

import pytest
from pydantic import Field

from harness.vocabulary.base import BadFileError, Value
from harness.vocabulary.complaint_words import in_our_words


class Sample(Value):
    """One key of each common kind."""

    count: int = Field(default=1, ge=1, le=9)
    share: float = 0.5
    on: bool = True
    name: str = Field(default="a", pattern="[a-z]+", max_length=5)
    kind: Literal["x", "y"] = "x"
    words: tuple[str, ...] = ("a",)


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("count", "many", "must be a whole number"),
        ("count", 0, "must be at least 1"),
        ("count", 10, "must be at most 9"),
        ("share", "much", "must be a number"),
        ("on", "perhaps", "must be true or false"),
        ("name", 7, "must be text in quotes"),
        ("name", "A", "does not have the form [a-z]+"),
        ("kind", "z", "must be 'x' or 'y'"),
        ("words", 3, "must be a list"),
    ],
)
def test_a_complaint_in_our_words(key: str, value: object, said: str) -> None:
    with pytest.raises(BadFileError) as caught:
        Sample.from_mapping({key: value}, "f.toml")
    assert str(caught.value) == f"'f.toml': '{key}': {said}; correct it there"


def test_what_is_not_known_is_passed_on() -> None:
    assert in_our_words("value_error", "Value error, low is above high", {}) == "low is above high"
