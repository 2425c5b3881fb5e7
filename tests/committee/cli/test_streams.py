"""What goes where: JSON alone on standard output, progress and errors on standard error, exit codes 0, 1 and 2."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from ledger.entries import Exclusion, Launch, MeasuringRun, Review, ReviewRun
from tests.committee.cli.yard import PROPOSAL, arm_toml, on_record, ran, typed, value

NOBODY = '[[reviewer]]\nname = "{0}"\nkind = "command"\nargv = ["agent-that-is-not-installed"]\n'
NOBODY += "price_in_per_mtok = 0\nprice_out_per_mtok = 0\n"


@pytest.fixture(scope="module")
def reviewed(made_once: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace whose proposal was reviewed with --json; read only."""
    ws = Path(shutil.copytree(made_once, tmp_path_factory.mktemp("reviewed") / "ws"))
    said = typed(ws, "committee", "review", "0001", "--json")
    assert said.code == 0, said
    told = value(said)
    assert told["seats"] == {"first": "complete", "second": "complete"}
    assert len(told["arms"]) == 2 and told["ended"] == ""
    assert "reviewer first complete" in said.err
    return ws


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("committee check 0001", 0),
        ("committee brief 0001", 0),
        ("committee log", 0),
        ("committee log --kind review", 0),
        ("committee show 1", 0),
        ("committee verify", 0),
        ("committee doctor", 0),
        ("committee measure 0001 --dry-run", 0),
        ("harness targets", 0),
        ("harness attest small", 1),
        ("harness doctor", 0),
    ],
)
def test_a_reading_command_prints_one_json_document(reviewed: Path, words: str, code: int) -> None:
    program, *rest = words.split()
    said = typed(reviewed, program, *rest, "--json")
    assert said.code == code, said
    assert value(said)
    assert said.err == ""


def test_what_the_json_says(reviewed: Path) -> None:
    assert value(typed(reviewed, "committee", "check", "0001", "--json"))["proposal"] == PROPOSAL
    assert [e["kind"] for e in value(typed(reviewed, "committee", "log", "--json", "--kind", "review"))] == [
        "review"
    ] * 2
    assert value(typed(reviewed, "committee", "show", "1"))["kind"] == "proposal"
    assert value(typed(reviewed, "committee", "verify", "--json"))["ok"] is True
    brief = value(typed(reviewed, "committee", "brief", "0001", "--json"))
    assert brief["took_part"] == ["first", "second"] and "no-pause" in brief["text"]
    seen = value(typed(reviewed, "harness", "attest", "small", "--json"))
    assert seen["as_described"] is False and "harness start small" in seen["sentence"]


def test_a_dry_run_leaves_the_ledger_alone(reviewed: Path) -> None:
    before = value(typed(reviewed, "committee", "verify", "--json"))
    plan = value(typed(reviewed, "committee", "measure", "0001", "--dry-run", "--json"))
    assert plan["launches"] == 8
    assert value(typed(reviewed, "committee", "verify", "--json")) == before


def test_all_reviewers_failing_is_told_with_the_quorum_and_nothing_is_measured(ws: Path) -> None:
    (ws / "committee.toml").write_text(NOBODY.format("a") + NOBODY.format("b"))
    said = typed(ws, "committee", "run", "0001")
    assert said.code == 1
    assert "Traceback" not in said.err
    assert len(said.err.strip().splitlines()) == 1
    for words in (
        "0 of 2 reviewers gave a complete review",
        "the quorum is 2",
        "a could_not_start",
        "then review again",
    ):
        assert words in said.err
    assert len(on_record(ws, Exclusion)) == 2
    assert on_record(ws, Review, MeasuringRun, Launch) == []
    run = on_record(ws, ReviewRun)[0]
    told = typed(ws, "committee", "resume", str(getattr(run, "run", "")), "--json")
    assert told.code == 1 and "`committee review 0001` begins a new one" in value(told)["ended"]


def test_a_missing_recording_excludes_its_reviewer(ws: Path) -> None:
    (ws / "recordings" / "first.json").unlink()
    said = typed(ws, "committee", "review", "0001")
    assert said.code == 1
    assert "1 of 2 reviewers" in said.err and "first could_not_start" in said.err
    assert "first.json' cannot be read" in said.out


def test_a_flag_the_target_does_not_allow_stops_a_run_before_anybody_is_asked(ws: Path) -> None:
    (ws / "proposals" / PROPOSAL / "arms" / "fast.toml").write_text(arm_toml("fast", "host", "0.0.0.0"))
    checked = typed(ws, "committee", "check", "0001")
    assert checked.code == 1 and "flag 'host'" in checked.out and "may NOT be submitted" in checked.out
    said = typed(ws, "committee", "run", "0001")
    assert said.code == 1 and "is not listed for target 'small'" in said.err
    assert "(run " not in said.err, "nothing was begun that could be resumed"
    assert on_record(ws, ReviewRun) == []


@pytest.mark.parametrize(
    "words",
    ["committee check", "committee nonsense", "committee accept 0001 fast", "harness attest", "committee log --last x"],
)
def test_a_command_that_cannot_be_understood(ws: Path, words: str) -> None:
    program, *rest = words.split()
    said = typed(ws, program, *rest)
    assert said.code == 2
    assert len(said.err.splitlines()) == 1 and said.err.endswith(" --help'\n")
    assert said.out == ""


def test_paths_are_not_broken_where_the_terminal_is_narrow(ws: Path) -> None:
    said = ran(ws, "committee", "report", COLUMNS="30")
    assert (said.code, said.err) == (0, "")
    assert said.out == f"wrote {ws / 'report.html'}\n"
    refused = typed(ws, "committee", "check", "nonsense")
    assert f"no proposal 'nonsense' in '{ws / 'proposals'}'" in refused.err
    assert len(refused.err.splitlines()) == 1


def test_a_reader_that_goes_away_is_no_fault(ws: Path) -> None:
    shell = f"{sys.executable} -m committee log --json | true"
    env = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    done = subprocess.run(["sh", "-c", shell], cwd=ws, env=env, capture_output=True, text=True, timeout=60, check=False)
    assert done.stderr == ""


def test_edited_bytes_in_the_ledger_are_named(reviewed: Path, tmp_path: Path) -> None:
    ws = Path(shutil.copytree(reviewed, tmp_path / "edited"))
    with sqlite3.connect(ws / "records.db") as connection:
        connection.execute("PRAGMA writable_schema = ON")
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f'DROP TRIGGER "{name}"')
        connection.execute("UPDATE entry SET payload = replace(payload, 'Which pace', 'Whose pace') WHERE seq = 1")
    connection.close()
    said = typed(ws, "committee", "verify", "--json")
    assert said.code == 1 and said.err == ""
    told = value(said)
    assert told["ok"] is False
    assert any("1" in json.dumps(finding) for finding in told["findings"])
