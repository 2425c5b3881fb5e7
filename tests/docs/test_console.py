"""The reader of documentation finds commands, compares words and is not satisfied by less."""

import sys
from pathlib import Path

import pytest

from tests.docs.console import Reader, Step, missing, pieces, steps, words

PAGE = """
Text.
```console
$ committee check 0001
0001-which at revision 9ed5 may be submitted
$ harness attest x  # exit 1
```
```sh
$ not run
```
```console server
$ harness start x
x is up: pid 1234
```
"""


def test_commands_with_code_output_and_need() -> None:
    assert steps(PAGE) == (
        Step("committee check 0001", 0, ("0001-which at revision 9ed5 may be submitted",), False),
        Step("harness attest x", 1, (), False),
        Step("harness start x", 0, ("x is up: pid 1234",), True),
    )


def test_output_without_a_command_is_refused() -> None:
    with pytest.raises(ValueError, match="output before any command: 'hello'"):
        steps("```console\nhello\n```\n")


def test_words_have_no_digits_and_no_signs_around_them() -> None:
    assert words("│ four-slots │ VALID, +45.3 % (n=2) ┃ at http://127.0.0.1:80;") == ("four-slots", "VALID", "at")
    assert pieces("run 17 is ... about five minutes") == (("run", "is"), ("about", "five", "minutes"))


@pytest.mark.parametrize(
    ("line", "stands"),
    [
        ("ledger whole: 99 entries, 8 blobs", True),
        ("ledger whole: 3 blobs", False),
        ("ledger ... blobs", True),
        ("blobs ... ledger", False),
        ("ledger NOT whole", False),
        ("Ledger whole", False),
        ("whole whole", False),
    ],
)
def test_a_shown_line_must_be_printed_in_its_order(line: str, stands: bool) -> None:
    step = Step("x", 0, (line,), False)
    assert missing(step, "ledger whole: 3 entries,\n  6 blobs, head 4a0f at 3") == (() if stands else (line,))


def test_what_differs_from_the_page_is_said(tmp_path: Path) -> None:
    reader = Reader(tmp_path, limit_s=30)
    command = f"{sys.executable} -c 'print(\"good morning\"); raise SystemExit(1)'"
    assert reader.follow(Step(command, 1, ("good morning",), False)) is None
    assert "ended with 1, the page says 0" in str(reader.follow(Step(command, 0, ("good morning",), False)))
    assert "did not say:\ngood night" in str(reader.follow(Step(command, 1, ("good night",), False)))


def test_a_command_that_does_not_end_is_interrupted(tmp_path: Path) -> None:
    reader = Reader(tmp_path, limit_s=0.5)
    said = reader.follow(Step(f"{sys.executable} -c 'import signal; signal.pause()'", 0, (), False))
    assert said is not None
    assert said.startswith("`")
    assert "ended with None, the page says 0" in said


def test_cd_moves_the_reader_and_nobody_else(tmp_path: Path) -> None:
    (tmp_path / "ws").mkdir()
    reader = Reader(tmp_path, limit_s=30)
    assert reader.follow(Step("cd ws", 0, (), False)) is None
    assert reader.folder == (tmp_path / "ws").resolve()
    assert (Path.cwd() / "ws").exists() is False
