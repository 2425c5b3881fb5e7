"""Heads pinned in git are read back from the trailers, and nothing else is taken for one."""

from pathlib import Path

from git import Repo

from committee.accept.pins import pinned_heads
from ledger.store import Head


def test_pins_are_read_newest_first_and_only_from_trailers(tmp_path: Path) -> None:
    first, second = "a" * 64, "b" * 64
    with Repo.init(tmp_path) as repo:
        assert pinned_heads(tmp_path) == ()
        who = ["-c", "user.name=a", "-c", "user.email=a@example.invalid"]
        repo.git.execute(["git", *who, "commit", "--allow-empty", "-m", f"One\n\nLedger-Head: 7 {first}"])
        repo.git.execute(
            [
                "git",
                *who,
                "commit",
                "--allow-empty",
                "-m",
                f"Two\n\nLedger-Head: 8 {first}\n\nArm: x\nLedger-Head: 9 {second}",
            ]
        )
        repo.git.execute(["git", *who, "commit", "--allow-empty", "-m", "Three\n\nLedger-Head: nonsense"])
    assert pinned_heads(tmp_path) == (Head(9, second), Head(7, first))


def test_without_a_repository_nothing_is_pinned(tmp_path: Path) -> None:
    assert pinned_heads(tmp_path) == ()
