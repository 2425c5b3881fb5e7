"""The front office on a Windows desk, as far as it can be tried on another system.

Modules of POSIX alone are hidden, consoles are narrow and know few characters, files have Windows' line ends.
"""

import codecs
import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from committee.proposals.check import check, passes
from committee.proposals.folder import load
from committee.proposals.record import header_of, read_back, store
from committee.proposals.revision import freeze
from committee.vocabulary.config import CommitteeConfig
from committee.workflow.frozen import loaded
from harness.vocabulary.base import BadFileError
from ledger.store import Ledger
from tests.committee.review.sitting import TARGET
from tests.committee.vocabulary.test_config import GOOD
from tests.committee.workflow.office import write_proposal

PATIENCE_S = 120
PYTHON = """
import sys
from harness.cli.speak import guarded_main, out, say
from rich.table import Table

def app():
    say("run review-1: 記憶體 \\u2192 read proposals/0001/brief.md")
    table = Table("reviewer", "model", "ended")
    table.add_row("模型", "m" * 60, "\\u2026")
    out.print(table)
    out.file.write("簡報\\n")

guarded_main(app)
"""


@pytest.mark.system
def test_everything_can_be_imported_without_what_only_posix_has() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.committee.front_office_alone"],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=True,
    )
    assert json.loads(done.stdout) == {}


@pytest.mark.parametrize("encoding", ["cp1252", "cp437", "ascii"])
def test_a_narrow_console_of_few_characters_shows_a_mark_and_goes_on(encoding: str) -> None:
    env = os.environ | {"PYTHONIOENCODING": encoding, "COLUMNS": "40", "TERM": "dumb"}
    done = subprocess.run([sys.executable, "-c", PYTHON], capture_output=True, env=env, timeout=PATIENCE_S, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    said = done.stdout.decode(encoding)
    assert "run review-1: ???" in said and "read proposals/0001/brief.md" in said, "one line, whatever the width"
    assert said.splitlines()[-1] == "??"


def test_line_ends_are_content_and_are_kept_to_the_byte(tmp_path: Path) -> None:
    """A file saved with Windows' line ends is another revision, and says so by its hash; nothing is turned round."""
    place = write_proposal(tmp_path)
    before = freeze(place)
    for file in ("PROPOSAL.md", "proposal.toml", "criteria.toml", "arms/two-slots.toml"):
        path = place / file
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    after = freeze(place)
    assert after.tree != before.tree and freeze(place).tree == after.tree
    assert all(b"\r\n" in content for _, content in after.files)
    assert load(place).header == load(place).header and passes(check(load(place), after, TARGET, None))
    with Ledger.open(tmp_path / "records.db", actor="test", create=True) as ledger:
        store(ledger, after)
        assert read_back(ledger, after.proposal, after.tree).files == after.files


def test_utf_16_is_kept_as_evidence_and_refused_as_text(tmp_path: Path) -> None:
    place, words = write_proposal(tmp_path), "一個插槽\r\n".encode("utf-16")
    (place / "evidence").mkdir()
    (place / "evidence" / "log.txt").write_bytes(words)
    revision = freeze(place)
    assert dict(revision.files)["evidence/log.txt"] == words
    said = check(load(place), revision, TARGET, None)
    assert passes(said) and any("reviewers see its name and size only" in found.sentence for found in said)
    (place / "PROPOSAL.md").write_bytes(words)
    errors = [found for found in check(load(place), freeze(place), TARGET, None) if found.severity == "error"]
    assert [(found.where, found.sentence) for found in errors] == [
        ("PROPOSAL.md", "it is not UTF-8 text; move it to evidence/ or save it as UTF-8")
    ]


@pytest.mark.parametrize(
    ("encoding", "said"),
    [
        ("utf-16", "is UTF-16 text; save it as UTF-8"),
        ("utf-16-be", "is UTF-16 text; save it as UTF-8"),
        ("cp1252", "is not UTF-8 text; save it as UTF-8"),
    ],
)
def test_a_settings_file_in_another_encoding_is_one_sentence(tmp_path: Path, encoding: str, said: str) -> None:
    place = write_proposal(tmp_path)
    text = (place / "proposal.toml").read_text().replace("Which knob is real?", "Which knöb is real?")
    mark = codecs.BOM_UTF16_BE if encoding == "utf-16-be" else b""
    (place / "proposal.toml").write_bytes(mark + text.encode(encoding))
    with pytest.raises(BadFileError, match=rf"proposal\.toml' {said}") as refused:
        load(place)
    assert "\n" not in str(refused.value)


def test_the_mark_that_windows_editors_put_first_is_no_part_of_a_settings_file(tmp_path: Path) -> None:
    plain, marked = write_proposal(tmp_path / "plain"), write_proposal(tmp_path / "marked")
    files = sorted(path.relative_to(marked) for path in marked.rglob("*.toml"))
    assert len(files) >= 3
    for file in files:
        (marked / file).write_bytes(codecs.BOM_UTF8 + (marked / file).read_bytes())
    one, other = load(plain), load(marked)
    assert (one.header, one.criteria, one.arms) == (other.header, other.criteria, other.arms)
    revision = freeze(marked)  # holds the very bytes, so it is another revision, and can be read back too
    assert header_of(revision) == one.header and loaded(revision).arms == one.arms
    assert revision.tree != freeze(plain).tree
    (tmp_path / "committee.toml").write_bytes(codecs.BOM_UTF8 + GOOD.encode())
    assert CommitteeConfig.from_toml(tmp_path / "committee.toml") == CommitteeConfig.from_mapping(
        tomllib.loads(GOOD), "here"
    )
