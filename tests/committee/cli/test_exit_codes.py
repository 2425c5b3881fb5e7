"""Every command of both programs keeps to one rule of exit codes: 2 for what cannot be begun, said in one sentence."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from tests.committee.cli.yard import APPS, entered, make

NOTHING = "No-Such-Thing"
FILLED = {"--reason": "why", "--script": NOTHING}  # options without which a command is not understood
FREE = ("committee park", "committee ask", "committee init")  # they take any words
ASKED = {"committee ask": "setting"}  # first words without which nothing is looked for
LOOKED_AT = {  # commands that only look, and a name that is there
    **dict.fromkeys(("committee rank", "committee ticket", "committee brief", "committee costs"), ("0001", "small")),
    **dict.fromkeys(("harness status", "harness attest"), ("small",)),
}
FOLDERS = (  # a folder where a file belongs, and a file that holds something else
    "harness measure --order {}",
    "harness measure small --criteria {} --arm {}",
    "harness profile small --arm {}",
    "harness lint small --arm {}",
    "harness adopt --script {}",
    "harness analyse effect {}",
    "harness kernel check {}",
    "committee import {} --as notes",
    "committee ledger copy {} there",
)


def leaves(command: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command below a group, with the words that lead to it."""
    if hasattr(command, "load_all"):
        command.load_all()
    for name, inner in getattr(command, "commands", {}).items():
        yield from leaves(inner, (*path, name))
    if not hasattr(command, "commands"):
        yield path, command


def every() -> list[tuple[tuple[str, ...], Any]]:
    """Every command of both programs."""
    return [found for program in APPS for found in leaves(typer.main.get_command(APPS[program]), (program,))]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace in which the commands stand, and to which none of them may do anything."""
    ws = make(tmp_path / "ws")
    monkeypatch.chdir(ws)
    return ws


def faults(words: tuple[str, ...], code: int = 2) -> list[str]:
    """What is wrong with how a mistake was answered: its code, something on standard output, more than a sentence."""
    said = entered(*words)
    right = said.code == code and not said.out and len(said.err.splitlines()) == 1 and "Traceback" not in said.err
    return [] if right else [f"{' '.join(map(repr, words))}: {said}"]


def test_words_that_are_missing_unknown_or_empty_are_a_mistake_of_every_command(here: Path) -> None:
    found = list[str]()
    commands = every()
    assert len(commands) > 50
    for path, command in commands:
        arguments = [one for one in command.params if one.param_type_name == "argument"]
        options = [one.opts[0] for one in command.params if one.param_type_name == "option" and one.required]
        needed = [one for one in arguments if one.required]
        filled = [word for option in options for word in (option, FILLED[option])]
        if needed or options:
            found += faults(path)
        found += faults((*path, *filled, "--no-such-option"))
        for at in range(len(needed)):
            found += faults((*path, *(NOTHING for _ in needed[:at]), "", *(NOTHING for _ in needed[at + 1 :]), *filled))
        for option in options:
            found += faults((*path, *(NOTHING for _ in needed), option, " "))
        for one in command.params:
            if one.param_type_name == "option" and not one.is_flag:
                found += faults((*path, *(NOTHING for _ in needed), *filled, f"{one.opts[0]}="))
        if arguments and " ".join(path) not in FREE:
            found += faults((*path, *(NOTHING for _ in needed or arguments[:1]), *filled))
    assert not found, "\n".join(found)


def test_what_is_no_file_of_its_kind_is_a_mistake(here: Path) -> None:
    (here / "folder").mkdir()
    (here / "binary").write_bytes(bytes(range(128, 256)))
    found = list[str]()
    for line in FOLDERS:
        for name in ("folder", "binary", "gone"):
            found += faults(tuple(line.format(name, name).split()))
    assert not found, "\n".join(found)


def test_with_json_standard_output_is_one_json_value_whatever_there_is_to_say(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A word that names nothing, in a workspace where nothing was reviewed, measured or accepted yet; then the proposal
    and the target that are there."""
    found, asked = list[str](), 0
    for path, command in every():
        options = [one for one in command.params if one.param_type_name == "option"]
        if all("--json" not in one.opts for one in options):
            continue
        filled = [word for one in options if one.required for word in (one.opts[0], FILLED[one.opts[0]])]
        arguments = [one for one in command.params if one.param_type_name == "argument"]
        first = [ASKED[" ".join(path)]] if " ".join(path) in ASKED else []
        for word in (NOTHING, *(LOOKED_AT.get(" ".join(path), ()))):
            names = [*first, *(word for _ in arguments)][: len(arguments)]
            line = [*path, *names, *filled, "--json"]
            monkeypatch.setattr("sys.argv", line)
            said, asked = entered(*line), asked + 1
            try:
                json.loads(said.out)
            except ValueError:
                found.append(f"{' '.join(line)}: {said}")
    assert not found, "\n".join(found)
    assert asked > 30
