"""Committing named paths only: what keeps it from happening, and that a failure leaves nothing staged."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from git import GitCommandError, Repo

from committee.repository import commit_only, committed_text, obstacles, open_repository, words_of
from harness.vocabulary.base import BadFileError
from tests.committee.git_damage import damage


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
    identity = ("-c", "user.name=Ada", "-c", "user.email=ada@example.invalid")  # the person's own may be missing
    with pytest.raises(GitCommandError, match="CONFLICT"):
        repo.git.execute(["git", *identity, "merge", "side"])
    said = obstacles(repo, [root(repo) / "mine"])
    assert "conflicts in 'a.txt'" in said[0]
    assert "in the middle of something (MERGE_HEAD)" in said[1]


def test_an_index_of_another_version_is_gits_own_affair(repo: Repo) -> None:
    repo.git.update_index("--index-version", "4")
    assert obstacles(repo, [root(repo) / "mine"]) == ()
    (root(repo) / "a.txt").rename(root(repo) / "b.txt")
    repo.git.add("--all")
    (said,) = obstacles(repo, [root(repo) / "b.txt"])
    assert "other things staged ('a.txt')" in said


def test_what_git_cannot_read_is_said_in_its_own_words(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    head = repo.git.rev_parse("HEAD")
    damage(root(repo), head)
    with pytest.raises(
        BadFileError, match=rf"git cannot read the repository .*{head}.* is corrupt; mend that, or bring"
    ):
        committed_text(repo, root(repo) / "a.txt")
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    (said,) = obstacles(repo, [root(repo) / "mine"])
    assert "detected dubious ownership" in said and f"--add safe.directory {root(repo)}; mend that" in said
    with pytest.raises(BadFileError, match="dubious ownership"):
        committed_text(repo, root(repo) / "a.txt")


def test_a_damaged_repository_is_not_taken_for_none(repo: Repo, tmp_path: Path) -> None:
    (Path(repo.git_dir) / "HEAD").unlink()
    said = open_repository(root(repo))
    assert (
        isinstance(said, str) and f"{str(root(repo) / '.git')!r} is there, but git takes it for no repository" in said
    )
    Repo.init(tmp_path).close()  # git itself would go on to the one further up
    assert open_repository(root(repo)) == said


def with_hook(repo: Repo, name: str, body: str) -> None:
    """A hook of that name, and something to commit."""
    hook = Path(repo.git_dir) / "hooks" / name
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\n{body}\n")
    hook.chmod(0o755)
    (root(repo) / "mine.txt").write_text("mine\n")


@pytest.mark.parametrize(("body", "limit_s"), [("exec sleep 60", 2.0), ("kill -9 $PPID", 60.0)])
def test_a_commit_that_was_made_is_one_however_git_ended(repo: Repo, body: str, limit_s: float) -> None:
    with_hook(repo, "post-commit", body)
    made = commit_only(repo, [root(repo) / "mine.txt"], "Two\n\nArm: x", "Ada", limit_s=limit_s)
    assert repo.git.log("--format=%H %s") == f"{made} Two\n{repo.git.rev_parse('HEAD^')} One"
    assert repo.git.status("--porcelain") == ""


def test_a_commit_of_somebody_else_meanwhile_is_not_taken_for_ours(repo: Repo) -> None:
    other = "git -c user.name=Bob -c user.email=bob@example.invalid commit -q --no-verify -m Theirs mine.txt"
    with_hook(repo, "pre-commit", f"(unset GIT_INDEX_FILE; rm .git/*.lock; {other})\nexit 1")
    with pytest.raises(GitCommandError):
        commit_only(repo, [root(repo) / "mine.txt"], "Two\n\nArm: x", "Ada")
    assert repo.git.log("--format=%s") == "Theirs\nOne"


def test_a_commit_that_takes_too_long_leaves_no_lock(repo: Repo) -> None:
    with_hook(repo, "pre-commit", "exec sleep 20")
    with pytest.raises(GitCommandError) as caught:
        commit_only(repo, [root(repo) / "mine.txt"], "Two", "Ada", limit_s=0.2)
    assert words_of(caught.value) == "it did not end within 0.2 s"
    assert list(Path(repo.git_dir).glob("*.lock")) == []
    assert repo.git.diff("--cached", "--name-only") == ""


def test_a_refused_commit_leaves_nothing_staged(repo: Repo) -> None:
    with_hook(repo, "pre-commit", "echo not today >&2\nexit 1")
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
