"""Heads pinned in git are read back from the trailers, and nothing else is taken for one."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from git import Repo
from typer.testing import CliRunner, Result

from committee.accept.accept import accept
from committee.accept.pins import pinned_heads, pinned_objects
from committee.accept.signature import Signed, Unread, seal_of
from committee.cli.app import app
from harness.vocabulary.base import BadFileError
from ledger.anchor import Root
from ledger.entries import Acceptance
from ledger.head_file import head_path
from ledger.store import Head
from tests.committee.accept.sample import Bench, make_bench
from tests.committee.git_damage import damage

PIN = f"Ledger-Head: 7 {'a' * 64}\nLedger-Root: 7 {'b' * 64}"
SIGNED = f"""tree {{tree}}
author A <a@example.invalid> 1 +0000
committer A <a@example.invalid> 1 +0000
gpgsig -----BEGIN PGP SIGNATURE-----
 none
 -----END PGP SIGNATURE-----

Signed

{PIN}
"""


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


@pytest.fixture
def pinned(tmp_path: Path) -> Iterator[Repo]:
    """A repository whose first commit and its note pin a head, with a second commit."""
    with Repo.init(tmp_path / "r", initial_branch="main") as repo:
        for name, value in (("user.name", "a"), ("user.email", "a@example.invalid")):
            repo.git.config(name, value)
        repo.git.commit("--allow-empty", "--message", f"One\n\n{PIN}")
        repo.git.notes("--ref", "ledger", "add", "--message", PIN.replace(" 7 ", " 8 "))
        repo.git.commit("--allow-empty", "--message", "Two")
        yield repo


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("i18n.logOutputEncoding", "UTF-16"),
        ("trailer.separators", "="),
        ("core.commentChar", "L"),
        ("color.ui", "always"),
        ("log.decorate", "full"),
        ("core.notesRef", "refs/notes/other"),
    ],
)
def test_a_persons_settings_change_no_pin(pinned: Repo, setting: str, value: str) -> None:
    pinned.git.config(setting, value)
    first, second = pinned_objects(Path(str(pinned.working_tree_dir)))
    assert (first.pin.head, first.pin.root) == (Head(7, "a" * 64), Root(7, "b" * 64))
    assert second.pin.head == Head(8, "a" * 64)


def test_a_signature_that_the_log_shows_is_read_over(pinned: Repo, tmp_path: Path) -> None:
    folder = Path(str(pinned.working_tree_dir))
    raw = tmp_path / "raw"
    raw.write_text(SIGNED.format(tree=pinned.git.rev_parse("HEAD^{tree}")))
    signed = pinned.git.hash_object("-t", "commit", "-w", str(raw))
    pinned.git.update_ref("HEAD", signed)
    program = tmp_path / "gpg"
    program.write_text("#!/bin/sh\necho 'gpg: made with a key that nobody has' >&2\nexit 1\n")
    program.chmod(0o755)
    pinned.git.config("gpg.program", str(program))
    pinned.git.config("log.showSignature", "true")
    assert "nobody has" in pinned.git.log("-1", "--format=%H"), "git itself says it"
    found = pinned_objects(folder)
    assert [(one.pin.head, one.object) for one in found if one.type == "commit"] == [(Head(7, "a" * 64), signed)]


@pytest.mark.parametrize(
    ("cut", "words"),
    [
        ("refs/heads/main", "git cannot read the repository .*: fatal: .*; mend that, or bring"),
        (
            "refs/notes/ledger",
            "git cannot read the repository .*: warning: ignoring broken ref refs/notes/ledger; mend",
        ),
        ("HEAD", "git takes it for no repository; mend it"),
    ],
)
def test_a_cut_reference_is_not_taken_for_none(pinned: Repo, cut: str, words: str) -> None:
    (Path(pinned.git_dir) / cut).write_bytes(b"")
    with pytest.raises(BadFileError, match=words):
        pinned_heads(Path(str(pinned.working_tree_dir)))


def typed(bench: Bench, *words: str) -> Result:
    """A command typed in the workspace."""
    return CliRunner().invoke(app, [*words, "--workspace", str(bench.workspace.folder)])


def test_an_older_ledger_put_back_is_seen_or_git_is_said_to_be_unread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = make_bench(tmp_path)
    records, folder = bench.workspace.folder / "records.db", bench.workspace.folder
    with bench.ledger:
        bench.measure("m-000001")
        older = {path: path.read_bytes() for path in (records, head_path(records))}
        assert isinstance(accept(bench.workspace, bench.ledger, "0001", "four-slots", "r", "Ada"), Acceptance)
        entry = bench.ledger.of(Acceptance)[-1][0]
    newer = {path: path.read_bytes() for path in older}
    for path, content in older.items():
        path.write_bytes(content)  # whole by itself
    result = typed(bench, "verify")
    assert (result.exit_code, result.output[:10]) == (1, "cut_tail: ")
    with monkeypatch.context() as other:
        other.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
        other.setenv("GIT_CONFIG_GLOBAL", os.devnull)
        result = typed(bench, "verify")
    begins = f"unread_pins: git cannot read the repository {str(folder)!r}: "
    assert (result.exit_code, result.output[: len(begins) + 23]) == (1, f"{begins}fatal: detected dubious")
    damage(folder, "HEAD^")
    result = typed(bench, "verify")
    assert (result.exit_code, result.output[: len(begins) + 6]) == (1, f"{begins}error:")
    assert "NOT whole" in result.output and "heads pinned in git not seen" in result.output
    for path, content in newer.items():
        path.write_bytes(content)
    damage(folder, "HEAD")
    seal = seal_of(folder, entry)
    assert isinstance(seal, Unread) and seal.as_json()["signature"] == Signed.UNREAD
    result = typed(bench, "log", "--kind", "acceptance")
    assert result.exit_code == 0 and "git cannot read the repository" in " ".join(result.output.split())
