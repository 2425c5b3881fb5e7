"""`committee rollback`: one step back by a person's decision, committed with the overlay of before, then deployed."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from committee.accept.ticket import check, ticket_of
from harness.cli.speak import NEGATIVE, USAGE
from ledger.entries import Rollback, Ticket
from ledger.in_force import Decided, course_of
from ledger.verify import verify
from tests.committee.deploy.yard import FAST, SLOW, DeployYard, make_yard

WORDS = ("--reason", "it got too hot", "--yes", "--users-accept", "--person", "Ada")


@pytest.fixture
def yard(ws: Path) -> Iterator[DeployYard]:
    made = make_yard(ws)
    with made.bench.ledger:
        yield made


def now(yard: DeployYard) -> Decided:
    """What is in force."""
    found = course_of(yard.bench.ledger, "small").now
    assert found is not None
    return found


def ticket(yard: DeployYard) -> Ticket:
    """Its ticket."""
    found = ticket_of(yard.bench.ledger, now(yard)[0].id)
    assert found is not None
    return found


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
    checked = check(yard.bench.workspace, yard.bench.ledger, now(yard), ticket(yard))
    assert not [one for one in checked.expired if "target file" in one or "in force" in one]
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
    (yard.folder / "mine.txt").write_text("mine")
    yard.bench.git("add", "mine.txt")
    said = yard.committee("rollback", "small", *WORDS)
    assert said.code == NEGATIVE and "other things staged ('mine.txt')" in said.err and yard.in_force() == "fast"
    yard.bench.git("reset", "-q", "mine.txt")
    said = yard.committee("rollback", "small", *WORDS)
    assert said.code == NEGATIVE and "its commit failed: not today; mend that and roll back again" in said.err
    assert overlay.exists() and yard.bench.git("diff", "--cached", "--name-only") == ""
    hook.unlink()
    said = yard.committee("rollback", "small", *WORDS)
    assert "small goes back from fast to the baseline that a person wrote; decided and committed" in said.out
    assert not overlay.exists() and yard.bench.git("status", "--porcelain", "--", str(overlay)) == ""
    assert len(yard.bench.ledger.of(Rollback)) == 1 and yard.in_force() is None
