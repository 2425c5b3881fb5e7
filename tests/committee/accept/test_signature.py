"""An acceptance's commit is signed where git is set up so, with a real key, and the log and `show` say which way."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from committee.accept.accept import accept
from committee.accept.signature import Seal, Signed, seal_of
from ledger.entries import Acceptance
from ledger.store import Entry
from tests.committee.accept.sample import FOUR, Bench, make_bench
from tests.committee.cli.yard import typed, value

IDENTITY = "Ada Example <ada@example.org>"


def with_ssh(bench: Bench, home: Path) -> None:
    """A key pair, git set up to sign with it and to know it."""
    key = home / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
    public = key.with_suffix(".pub").read_text().split()
    (home / "allowed").write_text(f"ada@example.org {public[0]} {public[1]}\n")
    for name, said in (
        ("gpg.format", "ssh"),
        ("user.signingkey", str(key.with_suffix(".pub"))),
        ("commit.gpgsign", "true"),
        ("gpg.ssh.allowedSignersFile", str(home / "allowed")),
    ):
        bench.git("config", name, said)


def with_gpg(bench: Bench, home: Path) -> None:
    """The same with a GPG key that has no passphrase."""
    folder = home / "gnupg"
    folder.mkdir(mode=0o700)
    program = home / "gpg"
    program.write_text(f'#!/bin/sh\nexec gpg --homedir {folder} --batch --pinentry-mode loopback "$@"\n')
    program.chmod(0o755)
    made = [str(program), "--passphrase", "", "--quick-generate-key", IDENTITY, "ed25519", "sign", "never"]
    subprocess.run(made, check=True, capture_output=True)
    for name, said in (("gpg.program", str(program)), ("user.signingkey", "ada@example.org"), ("commit.gpgsign", "1")):
        bench.git("config", name, said)


def accepted(bench: Bench) -> Entry:
    """An arm is accepted; the acceptance's entry."""
    bench.git("config", "user.name", "Ada Example")
    bench.git("config", "user.email", "ada@example.org")
    bench.measure("m-000001")
    assert isinstance(accept(bench.workspace, bench.ledger, "0001", FOUR.name, "faster", "Ada"), Acceptance)
    return bench.ledger.of(Acceptance)[-1][0]


@pytest.mark.system
@pytest.mark.parametrize(("program", "how", "setup"), [("ssh-keygen", "SSH", with_ssh), ("gpg", "GPG", with_gpg)])
def test_it_is_signed_with_the_key_that_git_is_set_up_with(
    tmp_path: Path, program: str, how: str, setup: Callable[[Bench, Path], None]
) -> None:
    assert shutil.which(program), f"{program} is missing; .ci/run installs it"
    made = make_bench(tmp_path)
    setup(made, tmp_path)
    made.git("config", "log.showSignature", "true")  # a person's setting must not get among what we read
    with made.ledger:
        entry = accepted(made)
    made.git("verify-commit", "HEAD")
    seal = seal_of(made.workspace.folder, entry)
    assert isinstance(seal, Seal) and (seal.how, "ada@example.org" in seal.by) == (how, True)
    assert seal.signed is Signed.GOOD
    said = typed(made.workspace.folder, "committee", "log", "--kind", "acceptance").out
    assert f"commit {seal.commit[:12]} good ({how}) by " in said
    assert value(typed(made.workspace.folder, "committee", "show", str(entry.seq)))["commit"]["signature"] == "good"
    if how == "SSH":
        made.git("config", "--unset", "gpg.ssh.allowedSignersFile")
        unknown = seal_of(made.workspace.folder, entry)
        assert isinstance(unknown, Seal) and unknown.signed is Signed.UNCHECKED
    _forge(made, entry)


def _forge(bench: Bench, entry: Entry) -> None:
    """Another message under the same signature is bad, or at least never good."""
    raw = bench.git("cat-file", "commit", "HEAD").replace("faster", "slower")
    made = subprocess.run(
        ["git", "-C", str(bench.workspace.folder), "hash-object", "-t", "commit", "-w", "--stdin"],
        input=raw + "\n", capture_output=True, text=True, check=True,
    )  # fmt: skip
    bench.git("update-ref", "HEAD", made.stdout.strip())
    seal = seal_of(bench.workspace.folder, entry)
    assert (
        isinstance(seal, Seal) and seal.commit == made.stdout.strip() and seal.signed in (Signed.BAD, Signed.UNCHECKED)
    )
