"""Committing named paths only: what keeps it from happening, and that a failure leaves nothing staged."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from git import GitCommandError, Repo

from committee.repository import commit_only, committed_text, obstacles, open_repository, words_of


@pytest.fixture
def repo(tmp_path: Path) -> Iterator[Repo]:
    """A repository with one commit."""
    with Repo.init(tmp_path / "r", initial_branch="main") as made:
        (tmp_path / "r" / "a.txt").write_text("a\n")
        commit_only(made, [tmp_path / "r" / "a.txt"], "One", "Ada Example")
        yield made


def root(repo: Repo) -> Path:
    """The working tree's folder."""
    return Path(str(repo.working_tree_dir))


def test_only_the_named_paths_are_committed(repo: Repo) -> None:
    (root(repo) / "mine.txt").write_text("mine\n")
    (root(repo) / "other.txt").write_text("other\n")
    (root(repo) / "a.txt").write_text("changed\n")
    sha = commit_only(repo, [root(repo) / "mine.txt"], "Two\n\nArm: x", "Ada Example")
    assert repo.head.commit.hexsha == sha
    assert repo.git.show("--name-only", "--format=%s%n%(trailers)").split("\n") == ["Two", "Arm: x", "", "", "mine.txt"]
    assert repo.untracked_files == ["other.txt"]


def test_no_repository_is_one_sentence(tmp_path: Path) -> None:
    said = open_repository(tmp_path)
    assert isinstance(said, str)
    assert "is not in a git repository" in said
    Repo.init(tmp_path / "bare.git", bare=True).close()
    said = open_repository(tmp_path / "bare.git")
    assert isinstance(said, str)
    assert "bare" in said


def test_other_staged_things_are_named(repo: Repo) -> None:
    (root(repo) / "other.txt").write_text("other\n")
    repo.git.add("other.txt")
    (said,) = obstacles(repo, [root(repo) / "mine"])
    assert "other things staged ('other.txt')" in said
    assert obstacles(repo, [root(repo) / "other.txt"]) == ()


def test_what_a_commit_would_not_hold_is_named(repo: Repo, tmp_path: Path) -> None:
    (said,) = obstacles(repo, [tmp_path / "elsewhere.toml"])
    assert "elsewhere.toml' is outside the git repository" in said
    (root(repo) / "linked").symlink_to(tmp_path)
    (said,) = obstacles(repo, [root(repo) / "linked" / "a.toml"])
    assert "linked' is a symbolic link" in said


def test_the_committed_text_is_heads(repo: Repo) -> None:
    (root(repo) / "a.txt").write_text("changed\n")
    assert committed_text(repo, root(repo) / "a.txt") == "a"
    assert committed_text(repo, root(repo) / "b.txt") is None


def test_conflicts_are_named(repo: Repo) -> None:
    path = root(repo) / "a.txt"
    repo.git.checkout("-q", "-b", "side")
    path.write_text("side\n")
    commit_only(repo, [path], "Side", "Ada")
    repo.git.checkout("-q", "main")
    path.write_text("main\n")
    commit_only(repo, [path], "Main", "Ada")
    with pytest.raises(GitCommandError):
        repo.git.merge("side")
    said = obstacles(repo, [root(repo) / "mine"])
    assert "conflicts in 'a.txt'" in said[0]
    assert "in the middle of something (MERGE_HEAD)" in said[1]


def test_a_refused_commit_leaves_nothing_staged(repo: Repo) -> None:
    hook = Path(repo.git_dir) / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho not today >&2\nexit 1\n")
    hook.chmod(0o755)
    (root(repo) / "mine.txt").write_text("mine\n")
    with pytest.raises(GitCommandError) as caught:
        commit_only(repo, [root(repo) / "mine.txt"], "Two", "Ada")
    assert words_of(caught.value) == "not today"
    assert repo.git.diff("--cached", "--name-only") == ""
    assert len(list(repo.iter_commits())) == 1


def test_a_fresh_machine_without_an_identity_can_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    (tmp_path / "gitconfig").write_text("[user]\n\tuseConfigOnly = true\n")
    (tmp_path / "r").mkdir()
    with Repo.init(tmp_path / "r") as repo:
        (tmp_path / "r" / "a").touch()
        (said,) = obstacles(repo, [tmp_path / "r"])
        assert "has no commit yet" in said
        commit_only(repo, [tmp_path / "r"], "One", "Ada Example")
    shown = subprocess.run(
        ["git", "-C", str(tmp_path / "r"), "log", "--format=%an <%ae>"], capture_output=True, text=True, check=True
    )
    assert shown.stdout == "Ada Example <ada-example@localhost>\n"
