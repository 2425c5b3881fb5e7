"""Where a number is asked for, `inf`, `nan`, true and text are none, and no number is a switch."""

import math
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field

from harness.kernels.task import KernelArm, Task
from harness.vocabulary.arm import Arm
from harness.vocabulary.base import BadFileError, Scalar, Value
from harness.vocabulary.criteria import Criteria
from harness.vocabulary.known import Known
from harness.vocabulary.loads import Ladder
from harness.vocabulary.numbers import no_number
from harness.vocabulary.target import Target

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
        ('users = "8"', "'users': '8' is text; write 8 without quotes"),
        ('start_s = " 1e3"', "'start_s': ' 1e3' is text; write 1e3 without quotes"),
        ('steps = [1, "2"]', "'steps': '2' is text; write 2 without quotes"),
        ('schema = "1"', "'schema': '1' is text; write 1 without quotes"),
        ("users = 8.0", "'users': 8.0 is no whole number; write 8"),
        ("seats = 1.5", "'seats': 1.5 is no whole number; write one"),
        ('users = "many"', "'users': must be a whole number"),
        ('on = "true"', "'on': 'true' is no switch; write true or false, without quotes"),
        ("on = 1", "'on': 1 is no switch; write true or false, without quotes"),
        ("on = 0.0", "'on': 0.0 is no switch; write true or false, without quotes"),
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
        (int | str, "8", False),
        (Scalar, "8", False),
        (Scalar, 8.0, False),
        (float, 8, False),
        (tuple[int, ...], "no tuple", False),
        (dict[str, int], NAN, False),
        (Sheet, True, False),
    ],
)
def test_it_says_nothing_where_no_number_is_asked_for(annotation: object, value: object, bad: bool) -> None:
    assert (no_number(annotation, value) is not None) is bad


@pytest.mark.parametrize(
    ("model", "key"),
    [(model, key) for model in (Target, Criteria, Arm, Task, KernelArm, Known, Ladder) for key in model.model_fields],
)
def test_no_number_of_a_file_may_be_text_and_no_switch_a_number(model: type[Value], key: str) -> None:
    annotation = model.model_fields[key].annotation
    shapes: list[Any] = ["8", ["8"], {"a": "8"}]
    named = str(annotation)
    if "int" in named and "str" not in named and "Literal['" not in named and "harness." not in named:
        assert any(no_number(annotation, shape) for shape in shapes), named
    if annotation is bool:
        assert no_number(annotation, "yes") and no_number(annotation, 1)


def test_a_target_says_which_number_stands_in_quotes(tmp_path: Path) -> None:
    path = tmp_path / "t.toml"
    path.write_text('schema = 1\nname = "t"\nadapter = "vllm"\nusers = "8"\n')
    with pytest.raises(BadFileError, match="'8' is text; write 8 without quotes"):
        Target.from_toml(path)
