"""Making workspaces and proposals: what is made is complete, committed, and passes its own check."""

import subprocess
from pathlib import Path

import pytest

from committee.making import EXAMPLE, init, new, new_like
from committee.proposals.check import check, passes
from committee.proposals.folder import load
from committee.proposals.revision import freeze
from committee.vocabulary.config import read_config
from committee.vocabulary.proposal import ProposalKind
from harness.vocabulary.base import BadFileError


def test_a_new_workspace_is_committed_and_clean(tmp_path: Path) -> None:
    workspace = init(tmp_path / "w")
    assert git(workspace.folder, "status", "--porcelain") == ""
    tracked = git(workspace.folder, "ls-files").split("\n")
    assert {"committee.toml", "targets/local-llamacpp.toml", ".gitignore", "kernels/.gitkeep"} <= set(tracked)
    assert len(read_config(workspace.config_path).reviewer) == 1
    with workspace.ledger(actor="test"):
        assert git(workspace.folder, "status", "--porcelain") == "", "the ledger is not committed"


def test_a_folder_named_from_where_one_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    workspace = init(Path("w"))
    assert workspace.folder == (tmp_path / "w").resolve()
    assert git(workspace.folder, "log", "--format=%s") == "Make a workspace"


def git(folder: Path, *words: str) -> str:
    """What git itself prints."""
    return subprocess.run(["git", "-C", str(folder), *words], capture_output=True, text=True, check=True).stdout.strip()


def test_the_example_comes_whole(tmp_path: Path) -> None:
    workspace = init(tmp_path / "w", example=True)
    config = read_config(workspace.config_path)
    assert [reviewer.kind for reviewer in config.reviewer] == ["recorded", "recorded", "embedded", "command"]
    assert all(Path(reviewer.recording).is_file() for reviewer in config.reviewer if reviewer.kind == "recorded")
    folder = workspace.proposal_folder("0001")
    assert folder.name == EXAMPLE
    assert check(load(folder), freeze(folder), workspace.target("local-llamacpp")[0], None) == ()


def test_only_a_new_or_empty_folder(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    init(tmp_path / "empty")
    with pytest.raises(BadFileError, match="is not empty"):
        init(tmp_path / "empty")
    (tmp_path / "file").touch()
    with pytest.raises(BadFileError, match="is a file; name a new"):
        init(tmp_path / "file")


@pytest.mark.parametrize("kind", ["config", "kernel"])
def test_a_new_proposal_is_numbered_and_waits_for_its_words(tmp_path: Path, kind: ProposalKind) -> None:
    workspace = init(tmp_path / "w")
    folder = new(workspace, "wider-tiles", kind)
    loaded = load(folder)
    assert (loaded.header.id, loaded.header.kind) == ("0001-wider-tiles", kind)
    assert not passes(check(loaded, freeze(folder), workspace.target("local-llamacpp")[0], None))
    assert new(workspace, "another", kind).name == "0002-another"


@pytest.mark.parametrize(
    ("slug", "words"),
    [("Bad Slug", "cannot be used"), ("../out", "cannot be used"), ("", "cannot be used"), ("first", "already")],
)
def test_a_slug_that_cannot_be_used(tmp_path: Path, slug: str, words: str) -> None:
    workspace = init(tmp_path / "w")
    new(workspace, "first", "config")
    with pytest.raises(BadFileError, match=words):
        new(workspace, slug, "config")
    with pytest.raises(BadFileError, match="no target 'gone'"):
        new(workspace, "fine", "config", target="gone")


def test_a_question_that_ships_is_copied_with_its_target_and_passes(tmp_path: Path) -> None:
    workspace = init(tmp_path / "w")
    made = new_like(workspace, "smaller-file", "0002")
    loaded = load(made)
    assert (made.name, loaded.header.id, loaded.header.target) == ("0001-smaller-file",) * 2 + ("campaign-q4km",)
    assert passes(check(loaded, freeze(made), workspace.target("campaign-q4km")[0], None))
    for number, question in enumerate(("0016-prompt-batch-cpu", "prompt-batch-cpu")):
        made = new_like(workspace, f"batch-{number}", question, "local-llamacpp")
        assert load(made).header.target == "local-llamacpp"
    with pytest.raises(BadFileError, match="no question '0099' ships with this; there are 0001-"):
        new_like(workspace, "other", "0099")
