"""Freezing: the id is git's, only the committee's own files are left out, and nothing unsafe gets in."""

import os
from pathlib import Path

import pytest

from committee.proposals import revision
from committee.proposals.revision import freeze
from harness.vocabulary.base import BadFileError
from tests.committee.proposals.sample import make_folder
from tests.committee.proposals.test_tree import git_tree


def test_the_id_is_gits_own(tmp_path: Path) -> None:
    folder = make_folder(tmp_path)
    (folder / "evidence").mkdir()
    (folder / "evidence" / "crlf.txt").write_bytes(b"one\r\ntwo\r\n")
    (folder / "evidence" / "run.sh").write_text("#!/bin/sh\n")
    (folder / "evidence" / "run.sh").chmod(0o755)
    frozen = freeze(folder)
    assert frozen.tree == git_tree(folder_copy(folder, tmp_path / "copy"))
    assert dict(frozen.files)["evidence/crlf.txt"] == b"one\r\ntwo\r\n"
    assert [path for path, _ in frozen.files] == sorted(path for path, _ in frozen.files)
    assert frozen.proposal == "0007-sample"


def folder_copy(folder: Path, to: Path) -> Path:
    """A copy in which git may make its own folder."""
    for path in folder.rglob("*"):
        if path.is_file():
            target = to / path.relative_to(folder)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())
            target.chmod(path.stat().st_mode)
    return to


def test_only_the_briefs_on_top_are_left_out(tmp_path: Path) -> None:
    folder = make_folder(tmp_path)
    before = freeze(folder).tree
    (folder / "brief.md").write_text("the committee's")
    (folder / "brief.html").write_text("the committee's")
    assert freeze(folder).tree == before
    (folder / "evidence").mkdir()
    assert freeze(folder).tree == before, "an empty folder is nothing to git"
    (folder / "evidence" / "brief.md").write_text("the author's")
    assert freeze(folder).tree != before


def test_content_and_the_executable_bit_count(tmp_path: Path) -> None:
    folder = make_folder(tmp_path)
    seen = {freeze(folder).tree}
    (folder / "PROPOSAL.md").write_bytes(b"other\n")
    seen.add(freeze(folder).tree)
    (folder / "PROPOSAL.md").write_bytes(b"other\r\n")
    seen.add(freeze(folder).tree)
    (folder / "PROPOSAL.md").chmod(0o755)
    seen.add(freeze(folder).tree)
    assert len(seen) == 4


@pytest.mark.parametrize("inside", [True, False])
def test_every_link_is_refused(tmp_path: Path, inside: bool) -> None:
    folder = make_folder(tmp_path)
    (folder / "link.md").symlink_to(folder / "PROPOSAL.md" if inside else "/etc/hostname")
    with pytest.raises(BadFileError, match="symbolic link"):
        freeze(folder)


def test_a_linked_folder_is_refused(tmp_path: Path) -> None:
    folder = make_folder(tmp_path)
    (folder / "evidence").symlink_to(tmp_path)
    with pytest.raises(BadFileError, match="symbolic link"):
        freeze(folder)
    (tmp_path / "0008-link").symlink_to(folder)
    with pytest.raises(BadFileError, match="not a folder of its own"):
        freeze(tmp_path / "0008-link")


def test_a_pipe_is_refused_without_waiting(tmp_path: Path) -> None:
    folder = make_folder(tmp_path)
    os.mkfifo(folder / "pipe")
    with pytest.raises(BadFileError, match="neither a file nor a folder"):
        freeze(folder)


def test_what_is_put_in_a_files_place_meanwhile_is_refused(tmp_path: Path) -> None:
    """As between the listing of a folder and the reading of its file."""
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(BadFileError, match="is not a plain file"):
        revision._read(tmp_path / "pipe", "pipe")
    (tmp_path / "mine").write_text("words")
    (tmp_path / "link").symlink_to(tmp_path / "mine")
    with pytest.raises(BadFileError, match="cannot be read"):
        revision._read(tmp_path / "link", "link")


@pytest.mark.parametrize("name", ["a\\b", "a:b", "new\nline", "\u202egnp.exe", "x" * 201])
def test_names_that_hide_something_are_refused(tmp_path: Path, name: str) -> None:
    folder = make_folder(tmp_path)
    (folder / name).write_text("")
    with pytest.raises(BadFileError, match="cannot be kept safely"):
        freeze(folder)


def test_a_name_that_is_not_text_is_refused(tmp_path: Path) -> None:
    folder = make_folder(tmp_path)
    Path(os.fsdecode(os.fsencode(folder) + b"/\xff")).write_text("")
    with pytest.raises(BadFileError, match="cannot be kept safely"):
        freeze(folder)


@pytest.mark.parametrize("name", [".git", ".GIT", "git~1", ".git."])
def test_gits_own_names_are_refused(tmp_path: Path, name: str) -> None:
    folder = make_folder(tmp_path)
    (folder / name).write_text("")
    with pytest.raises(BadFileError, match="is git's own"):
        freeze(folder)


def test_sizes_are_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = make_folder(tmp_path)
    (folder / "big").write_bytes(b"x" * revision.MAX_FILE_BYTES)
    freeze(folder)
    (folder / "big").write_bytes(b"x" * (revision.MAX_FILE_BYTES + 1))
    with pytest.raises(BadFileError, match="larger than 2097152 bytes"):
        freeze(folder)
    (folder / "big").unlink()
    monkeypatch.setattr(revision, "MAX_FILES", 3)
    with pytest.raises(BadFileError, match="or 3 files"):
        freeze(folder)
    monkeypatch.setattr(revision, "MAX_FILES", 4)
    monkeypatch.setattr(revision, "MAX_TOTAL_BYTES", 100)
    with pytest.raises(BadFileError, match="more than 100 bytes"):
        freeze(folder)


def test_depth_is_limited_and_empty_refused(tmp_path: Path) -> None:
    folder = make_folder(tmp_path)
    (folder / Path(*"abcdefghi")).mkdir(parents=True)
    with pytest.raises(BadFileError, match="more than 8 folders deep"):
        freeze(folder)
    (tmp_path / "0009-empty").mkdir()
    with pytest.raises(BadFileError, match="is empty"):
        freeze(tmp_path / "0009-empty")
