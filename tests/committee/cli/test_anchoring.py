"""`committee anchor`, `export` and `ledger ...`: typed in a real workspace with a real git repository."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from git import Repo
from typer.testing import CliRunner, Result

from committee.accept.pins import pinned_heads
from committee.cli.app import app
from committee.making import init
from ledger.entries import Parked, Withheld
from ledger.errors import LedgerError
from ledger.head_file import head_path
from ledger.store import Ledger
from ledger.verify import verify

Run = Callable[..., Result]


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace with two entries, in which commands are typed."""
    folder = tmp_path / "desk"
    init(folder)
    monkeypatch.chdir(folder)
    with Ledger.open(folder / "records.db", actor="ada", create=True) as ledger:
        ledger.append_all([Parked(subject=one, proposal=None, reason="why", person="Ada") for one in ("one", "two")])
    return folder


def typed(*words: str) -> str:
    """What a command prints; it must end well."""
    result = CliRunner().invoke(app, list(words))
    assert result.exit_code == 0, result.output
    return result.output


def test_an_anchored_entry_is_checked_far_from_here(desk: Path, tmp_path: Path) -> None:
    assert "pinned in a note on" in typed("anchor")
    typed("anchor")
    (second, first) = sorted(pinned_heads(desk), key=lambda head: -head.seq)
    assert (first.seq, second.seq) == (3, 4)
    assert verify(desk / "records.db", pinned=(first, second)).ok
    out = tmp_path / "bundle"
    said = json.loads(typed("export", "1", "--out", str(out), "--json"))
    assert (said["seq"], said["size"], len(said["pins"])) == (1, 3, 1)
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(out / "check.py")], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "ALL HOLDS")


def test_an_older_copy_put_back_is_seen_by_the_note(desk: Path) -> None:
    older = [(path, path.read_bytes()) for path in (desk / "records.db", head_path(desk / "records.db"))]
    typed("anchor")
    for path, content in older:
        path.write_bytes(content)
    result = CliRunner().invoke(app, ["verify"])
    assert (result.exit_code, result.output.splitlines()[0][:9]) == (1, "cut_tail:")


def test_without_a_commit_nothing_is_anchored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "committee.toml").touch()
    monkeypatch.chdir(tmp_path)
    assert "is not in a git repository" in CliRunner().invoke(app, ["anchor"]).output
    with Repo.init(tmp_path):
        assert "has no commit yet" in CliRunner().invoke(app, ["anchor"]).output
    assert not (tmp_path / "records.db").exists()


def test_withholding_rebuilding_and_copying(desk: Path) -> None:
    assert "1 payloads and 0 blobs are withheld, tombstone #3" in typed("ledger", "withhold", "2", "--reason", "a key")
    again = typed("ledger", "withhold", "2", "--reason", "a key").replace("\n", " ")
    assert "what you named was withheld already, tombstone #3, and no old bytes of that are left in" in again
    assert "refilled from 2 entries" in typed("ledger", "rebuild")
    assert "3 entries and 0 blobs copied and verified" in typed("ledger", "copy", "records.db", "copy.db")
    with Ledger.open(desk / "copy.db", actor="bob") as copy:
        assert isinstance(copy.find("2").payload, Withheld)
    assert "withheld: entry #2" in typed("verify")
    refused = {"holds entries already": ("copy", "records.db", "copy.db"), "nothing to": ("withhold", "--reason", "x")}
    for said, words in refused.items():
        result = CliRunner().invoke(app, ["ledger", *words])
        assert isinstance(result.exception, LedgerError)
        assert said in str(result.exception)
