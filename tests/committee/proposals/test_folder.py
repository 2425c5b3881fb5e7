"""Reading a proposal's folder: what is read, and each refusal in one sentence."""

import os
from pathlib import Path

import pytest

from committee.proposals.folder import load
from harness.vocabulary.base import BadFileError
from tests.committee.proposals.sample import ARM, HEADER, make_folder


def test_a_complete_folder_is_read(tmp_path: Path) -> None:
    loaded = load(make_folder(tmp_path))
    assert loaded.header.id == "0007-sample"
    assert loaded.header.budget.server_minutes == 30
    assert loaded.criteria.primary.smallest_effect_pct == 10
    assert [arm.name for arm in loaded.arms] == ["four-slots"]


def test_a_folder_without_arms_is_complete(tmp_path: Path) -> None:
    folder = make_folder(tmp_path)
    (folder / "arms" / "four-slots.toml").unlink()
    (folder / "arms").rmdir()
    assert load(folder).arms == ()


@pytest.mark.parametrize("name", ["proposal.toml", "PROPOSAL.md", "criteria.toml"])
def test_a_missing_file_is_named(tmp_path: Path, name: str) -> None:
    folder = make_folder(tmp_path)
    (folder / name).unlink()
    with pytest.raises(BadFileError, match=f"{name}' does not exist"):
        load(folder)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("proposal.toml", 'schema = 1\nid = "0007-sam', "not valid TOML"),
        ("proposal.toml", HEADER + 'colour = "red"\n', "'colour': unknown key"),
        ("proposal.toml", HEADER.replace("schema = 1\n", ""), "'schema': missing key"),
        ("proposal.toml", HEADER.replace('"0007-sample"', '"0008-sample"'), "make them the same"),
        ("proposal.toml", HEADER.replace("0.5", "-1"), "budget.money"),
        ("criteria.toml", "blocks = [", "not valid TOML"),
        ("criteria.toml", "schema = 1\n", "missing key"),
        ("arms/four-slots.toml", "schema = 1\n", "missing key"),
        ("arms/four-slots.toml", "\x00", "not valid TOML"),
    ],
)
def test_a_bad_file_is_one_sentence(tmp_path: Path, name: str, content: str, words: str) -> None:
    folder = make_folder(tmp_path)
    (folder / name).write_text(content)
    with pytest.raises(BadFileError, match=words) as caught:
        load(folder)
    assert "\n" not in str(caught.value).replace("\\n", "")
    assert name in str(caught.value)


def test_an_unreadable_encoding_is_said(tmp_path: Path) -> None:
    folder = make_folder(tmp_path)
    (folder / "proposal.toml").write_bytes(b"\xff\x00")
    with pytest.raises(BadFileError, match="not UTF-8"):
        load(folder)


def test_two_arms_of_one_name_are_refused(tmp_path: Path) -> None:
    folder = make_folder(tmp_path)
    (folder / "arms" / "again.toml").write_text(ARM)
    with pytest.raises(BadFileError, match="2 arms are named 'four-slots'"):
        load(folder)


def test_stacks_are_filled_in_and_refused_where_a_part_is_missing(tmp_path: Path) -> None:
    folder = make_folder(tmp_path)
    (folder / "arms" / "two.toml").write_text('schema = 1\nname = "two"\n[flags]\nthreads = 1\n')
    (folder / "arms" / "z-both.toml").write_text('schema = 1\nname = "both"\nstack = ["four-slots", "two"]\n')
    (both,) = (arm for arm in load(folder).arms if arm.stack)
    assert {"n-parallel", "threads"} <= set(both.flags)
    (folder / "arms" / "two.toml").unlink()
    with pytest.raises(BadFileError, match="'both' is stacked from 'two', which is not among the arms"):
        load(folder)


def test_links_and_pipes_under_known_names_are_refused(tmp_path: Path) -> None:
    folder = make_folder(tmp_path)
    (folder / "criteria.toml").rename(tmp_path / "criteria.toml")
    (folder / "criteria.toml").symlink_to(tmp_path / "criteria.toml")
    with pytest.raises(BadFileError, match="symbolic link"):
        load(folder)
    (folder / "criteria.toml").unlink()
    os.mkfifo(folder / "criteria.toml")
    with pytest.raises(BadFileError, match="not a plain file"):
        load(folder)


def test_a_folder_under_a_known_name_is_refused(tmp_path: Path) -> None:
    folder = make_folder(tmp_path)
    (folder / "criteria.toml").unlink()
    (folder / "criteria.toml").mkdir()
    with pytest.raises(BadFileError, match="is not a plain file; put a plain file there"):
        load(folder)


def test_arms_must_be_a_folder_and_the_proposal_too(tmp_path: Path) -> None:
    with pytest.raises(BadFileError, match="is not a folder"):
        load(tmp_path / "nowhere")
    folder = make_folder(tmp_path)
    (folder / "arms").rename(tmp_path / "arms")
    (folder / "arms").symlink_to(tmp_path / "arms")
    with pytest.raises(BadFileError, match="must be a folder of arm files"):
        load(folder)
