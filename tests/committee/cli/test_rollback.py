"""`committee rollback`: one step back by a person's decision, committed with the overlay of before, then deployed."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.cli.speak import NEGATIVE, USAGE
from ledger.entries import Rollback
from ledger.verify import verify
from tests.committee.cli.yard import production
from tests.committee.deploy.yard import FAST, SLOW, DeployYard, make_yard

WORDS = ("--reason", "it got too hot", "--yes", "--users-accept", "--person", "Ada")


@pytest.fixture
def yard(tmp_path: Path) -> Iterator[DeployYard]:
    made = make_yard(tmp_path / "ws")
    with made.bench.ledger:
        yield made


def test_it_goes_back_one_step_as_git_kept_it_and_an_unfinished_one_goes_on(yard: DeployYard) -> None:
    said = yard.committee("rollback", "small", *WORDS)
    assert said.code == NEGATIVE and "nothing accepted is in force on 'small'" in said.err
    yard.accept(FAST, "measure-000001")
    overlay = yard.folder / "targets" / "small.accepted.toml"
    kept = overlay.read_bytes()
    slow = yard.accept(SLOW, "measure-000002")
    said = yard.committee("rollback", "small", "--reason", " ", "--yes")
    assert said.code == USAGE and "a rollback needs a reason in your own words" in said.err
    assert yard.in_force() == "slow"
    said = yard.committee("rollback", "small", *WORDS)
    assert said.code == NEGATIVE and "small goes back from slow to fast (acceptance #" in said.out
    assert "is not deployed: production of 'small' does not run" in said.err, "it is the target's file that went back"
    assert yard.in_force() == "fast" and overlay.read_bytes() == kept
    ((entry, made),) = yard.bench.ledger.of(Rollback)
    assert (made.leaves, made.reason, made.person) == (slow.id, "it got too hot", "Ada")
    assert f"Rolls-Back: {slow.id}" in yard.bench.trailers() and f"Ledger-Head: {entry.seq} {entry.id}" in (
        yard.bench.trailers()
    )
    assert yard.bench.git("status", "--porcelain", "--", str(overlay)) == ""
    assert "it got too hot" in yard.bench.git("log", "-1", "--format=%b")
    ticket = yard.committee("ticket", "small")
    assert "driver" in ticket.out and ("It holds" in ticket.out or ticket.out.count("EXPIRED") <= 2)
    again = yard.committee("rollback", "small", *WORDS)
    assert f"rollback #{entry.seq} to fast" in again.out and "is on record and not carried out; it goes on" in again.out
    assert len(yard.bench.ledger.of(Rollback)) == 1 and yard.in_force() == "fast"
    assert verify(yard.folder / "records.db").ok


def test_a_refused_commit_leaves_the_overlay_and_is_made_by_rolling_back_again(yard: DeployYard) -> None:
    yard.accept(FAST, "measure-000001")
    overlay = yard.folder / "targets" / "small.accepted.toml"
    hook = yard.folder / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho not today >&2\nexit 1\n")
    hook.chmod(0o755)
    said = yard.committee("rollback", "small", *WORDS)
    assert said.code == NEGATIVE and "its commit failed: not today; mend that and roll back again" in said.err
    assert overlay.exists() and yard.bench.git("diff", "--cached", "--name-only") == ""
    hook.unlink()
    said = yard.committee("rollback", "small", *WORDS)
    assert "small goes back from fast to the baseline that a person wrote; decided and committed" in said.out
    assert not overlay.exists() and yard.bench.git("status", "--porcelain", "--", str(overlay)) == ""
    assert len(yard.bench.ledger.of(Rollback)) == 1 and yard.in_force() is None


@pytest.mark.system
def test_production_goes_back_under_the_same_gates(yard: DeployYard) -> None:
    with production(yard.folder):
        yard.accept(FAST, "measure-000001")
        assert yard.committee("deploy", "0001", "--yes", "--users-accept").code == 0
        said = yard.committee("rollback", "small", "--reason", "x", "--users-accept")
        assert said.code == USAGE and "say --yes if that may be" in said.err and yard.in_force() == "fast"
        said = yard.committee("rollback", "small", *WORDS)
        assert said.code == 0 and "deployed the baseline that a person wrote: small is up with the new" in said.out, (
            said
        )
        assert yard.harness("attest", "small").code == 0
        assert yard.outcomes() == ["begun", "deployed", "begun", "deployed"]
        said = yard.committee("rollback", "small", *WORDS)
        assert said.code == NEGATIVE and "nothing accepted is in force" in said.err
