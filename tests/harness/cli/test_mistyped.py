"""A mistake on the command line is one sentence of ours, alike in both programs, and JSON where that was asked."""

import json
from collections.abc import Callable
from functools import partial

import pytest
import typer

from committee.cli.app import COMMANDS
from harness.cli.mistyped import FRONT_OFFICE
from harness.cli.speak import fail, guarded_main, print_json
from harness.vocabulary.base import BadFileError
from tests.committee.cli.yard import entered

SAID = (
    ("harness measur", "'harness' has no command 'measur'; did you mean 'measure'? see 'harness --help'"),
    (
        "committee targets",
        "'committee' has no command 'targets'; did you mean 'harness targets'? see 'committee --help'",
    ),
    ("committee atest x", "'committee' has no command 'atest'; did you mean 'harness attest'? see 'committee --help'"),
    ("committee mesure", "'committee' has no command 'mesure'; did you mean 'measure'? see 'committee --help'"),
    ("harness rank 1", "'harness' has no command 'rank'; did you mean 'committee rank'? see 'harness --help'"),
    ("harness zzzz", "'harness' has no command 'zzzz'; see 'harness --help'"),
    (
        "harness kernel chek",
        "'harness kernel' has no command 'chek'; did you mean 'check'? see 'harness kernel --help'",
    ),
    ("committee ledger frob", "'committee ledger' has no command 'frob'; see 'committee ledger --help'"),
    (
        "harness measure --arms x",
        "'harness measure' has no option '--arms'; did you mean '--arm'? see 'harness measure --help'",
    ),
    ("harness --quietly", "'harness' has no option '--quietly'; see 'harness --help'"),
    ("harness show", "'harness show' needs RUN (id of the run, or its beginning); see 'harness show --help'"),
    ("harness adopt", "'harness adopt' needs --script (the script that starts the server); see 'harness adopt --help'"),
    (
        "committee run",
        "'committee run' needs PROPOSAL (id, number, slug or folder of the proposal); see 'committee run --help'",
    ),
    (
        "harness measure small --blocks x",
        "'harness measure': --blocks: 'x' must be a whole number; see 'harness measure --help'",
    ),
    (
        "committee run 1 --when-busy later",
        "'committee run': --when-busy: 'later' is not one of 'refuse', 'drain'; see 'committee run --help'",
    ),
    (
        "harness measure --seed",
        "'harness measure': --seed needs a value (seed of the shuffling); see 'harness measure --help'",
    ),
    (
        "harness measure small --yes=3",
        "'harness measure': --yes takes no value, write it alone; see 'harness measure --help'",
    ),
    ("harness status a b", "'harness status' takes TARGET|RUN, 'b' is too much; see 'harness status --help'"),
)


def test_the_bench_knows_the_front_offices_commands_without_loading_it() -> None:
    assert set(FRONT_OFFICE.split()) == set(COMMANDS)


@pytest.mark.parametrize(("line", "sentence"), SAID)
def test_a_mistake_is_said_with_what_and_where_and_what_was_meant(line: str, sentence: str) -> None:
    said = entered(*line.split())
    assert (said.code, said.out, said.err) == (2, "", sentence + "\n")


def test_a_program_that_asked_for_json_gets_the_sentence_as_json() -> None:
    said = entered("harness", "status", "--json", "--jsn")
    assert said.code == 2 and "did you mean '--json'?" in said.err
    assert json.loads(said.out) == {"error": said.err.strip()}


def test_so_does_one_that_named_what_is_not_there(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def app() -> None:
        raise BadFileError("no target 'larg'; did you mean 'large'?")

    for words, out in ((["harness", "attest", "larg", "--json"], 1), (["harness", "attest", "larg"], 0)):
        monkeypatch.setattr("sys.argv", words)
        with pytest.raises(SystemExit) as ended:
            guarded_main(app)
        said = capsys.readouterr()
        assert ended.value.code == 2 and len(said.out.splitlines()) == out
        assert all(json.loads(line) == {"error": said.err.strip()} for line in said.out.splitlines())


def test_a_value_of_the_command_itself_stays_the_only_one(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def app() -> None:
        print_json({"outcome": "void"})
        raise fail("it is void")

    monkeypatch.setattr("sys.argv", ["committee", "measure", "--json"])
    with pytest.raises(SystemExit) as ended:
        guarded_main(partial(typed_alone(app), []))
    assert ended.value.code == 1 and json.loads(capsys.readouterr().out) == {"outcome": "void"}


@pytest.mark.parametrize("words", [["harness", "status", "--json"], ["committee", "status"]])
def test_ctrl_c_is_a_json_value_too(
    words: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def app() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("sys.argv", words)
    with pytest.raises(SystemExit) as ended:
        guarded_main(partial(typed_alone(app), []))
    said = '{"error": "interrupted before it had an answer"}\n' if "--json" in words else ""
    assert (ended.value.code, capsys.readouterr().out) == (130, said)


def typed_alone(command: Callable[[], None]) -> typer.Typer:
    """A program of one command, without a word to type."""
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    app.command()(command)
    return app
