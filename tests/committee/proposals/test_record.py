"""A revision is stored once, comes back byte for byte, and a changed statement is a new entry."""

from pathlib import Path

import pytest

from committee.proposals.record import header_of, read_back, store
from committee.proposals.revision import freeze
from committee.vocabulary.proposal import FrozenRevision
from harness.vocabulary.base import BadFileError
from ledger.entries import Proposal, Revision
from ledger.store import Ledger
from tests.committee.proposals.sample import HEADER, make_folder


def test_stored_once_and_read_back(tmp_path: Path) -> None:
    folder = make_folder(tmp_path)
    (folder / "evidence").mkdir()
    (folder / "evidence" / "dump.bin").write_bytes(b"\x00\xff\r\n")
    (folder / "evidence" / "empty.txt").write_bytes(b"")
    frozen = freeze(folder)
    with Ledger.open(tmp_path / "records.db", actor="test", create=True) as ledger:
        store(ledger, frozen)
        store(ledger, frozen)
        assert [entry.kind for entry in ledger.entries()] == ["proposal", "revision"]
        assert read_back(ledger, "0007-sample", frozen.tree) == frozen
        with pytest.raises(BadFileError, match="is not in"):
            read_back(ledger, "0007-sample", "0" * 40)


def test_a_new_revision_keeps_an_unchanged_statement(tmp_path: Path) -> None:
    folder = make_folder(tmp_path)
    with Ledger.open(tmp_path / "records.db", actor="test", create=True) as ledger:
        store(ledger, freeze(folder))
        (folder / "PROPOSAL.md").write_text("more\n")
        store(ledger, freeze(folder))
        (folder / "proposal.toml").write_text(HEADER.replace("A sample", "Another title"))
        store(ledger, freeze(folder))
        assert [statement.title for _, statement in ledger.of(Proposal)] == ["A sample", "Another title"]
        assert len(ledger.of(Revision)) == 3


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ((), "has no proposal.toml"),
        ((("proposal.toml", b"\xff"),), "not UTF-8 text"),
        ((("proposal.toml", b"id = "),), r"not valid TOML \(.*end of document\)"),
        ((("proposal.toml", b"id = 1"),), "0001-x/proposal.toml"),
    ],
)
def test_a_revision_without_a_usable_header_is_refused(files: tuple[tuple[str, bytes], ...], words: str) -> None:
    with pytest.raises(BadFileError, match=words):
        header_of(FrozenRevision("0001-x", "0" * 40, files))
