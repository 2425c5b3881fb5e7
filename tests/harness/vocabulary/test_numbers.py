"""Where a number is asked for, TOML's `inf` and `nan` and Python's true are none; one sentence says so."""

import math
from pathlib import Path
from typing import Annotated, Literal

import pytest
from pydantic import Field

from harness.vocabulary.base import BadFileError, Scalar, Value
from harness.vocabulary.numbers import no_number

INF, NAN = math.inf, math.nan


class Sheet(Value):
    """A file with a number of every kind."""

    schema_version: Literal[1] = Field(default=1, alias="schema")
    users: int = 1
    start_s: float | None = None
    seats: Annotated[int, Field(ge=1)] | None = None
    steps: tuple[int, ...] = ()
    flags: dict[str, Scalar] = Field(default_factory=dict)
    limits: dict[str, tuple[float, ...]] = Field(default_factory=dict)
    on: bool = False
    word: str = ""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("users = true", "'users': true is no number; write one"),
        ("schema = true", "'schema': true is no number; write one"),
        ("users = inf", "'users': inf is no finite number; write one"),
        ("start_s = nan", "'start_s': nan is no finite number; write one"),
        ("seats = true", "'seats': true is no number; write one"),
        ("start_s = false", "'start_s': false is no number; write one"),
        ("steps = [1, true]", "'steps': true is no number; write one"),
        ("flags = { a = -inf }", "'flags': -inf is no finite number; write one"),
        ("limits = { a = [1.0, nan] }", "'limits': nan is no finite number; write one"),
        (
            f"start_s = {2**80}",
            "'start_s': a whole number of 81 bits is more than TOML takes, 64 with its sign; write less",
        ),
    ],
)
def test_what_is_no_number_is_refused_with_one_sentence(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "sheet.toml"
    path.write_text(text)
    with pytest.raises(BadFileError) as refused:
        Sheet.from_toml(path)
    assert str(refused.value) == f"{str(path)!r}: {said}; correct it there"


def test_numbers_flags_and_switches_are_taken_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "sheet.toml"
    path.write_text(
        'schema = 1\nusers = 4\nstart_s = 2\nsteps = [1, 2]\non = true\nword = "inf"\nflags = { a = true, b = 1.5 }\n'
    )
    sheet = Sheet.from_toml(path)
    assert (sheet.users, sheet.start_s, sheet.steps, sheet.on, sheet.word) == (4, 2.0, (1, 2), True, "inf")
    assert sheet.flags == {"a": True, "b": 1.5}


@pytest.mark.parametrize(
    ("annotation", "value", "bad"),
    [
        (Annotated[int, "x"], True, True),
        (int | None, None, False),
        (int | str, True, True),
        (bool | int, True, False),
        (Literal["a", "b"], True, False),
        (str, INF, False),
        (tuple[int, ...], "no tuple", False),
        (dict[str, int], NAN, False),
        (Sheet, True, False),
    ],
)
def test_it_says_nothing_where_no_number_is_asked_for(annotation: object, value: object, bad: bool) -> None:
    assert (no_number(annotation, value) is not None) is bad
