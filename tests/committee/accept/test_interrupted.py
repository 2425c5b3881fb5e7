"""Accepting and rolling back while something else happens: a kill, a full disk, another writer, an open decision."""

import multiprocessing
import os
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from committee.accept.accept import TRIES, accept
from committee.accept.unfinished import DECIDING, PULL
from committee.deploy.rolling_back import Kept, next_step, roll_back
from committee.holding import held_alone
from ledger.chain import Head
from ledger.entries import Acceptance, Invalidation, Launch, Payload, Rollback, Ticket
from ledger.in_force import course_of
from ledger.store import Entry, Ledger, LedgerError
from tests.committee.accept.sample import FOUR, Q8, Bench, make_bench

PATIENCE_S = 60
HOOK = """#!/bin/sh
python=$(awk '/^PPid/ {{ print $2 }}' /proc/$PPID/status)
kill -{signal} $python
exit 1
"""


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    """A workspace with one proposal and one measured arm."""
    made = make_bench(tmp_path)
    with made.ledger:
        made.measure("m-000001")
        yield made


class Ending(Ledger):
    """A ledger at which something ends the work when the ticket is written."""

    ends_with: BaseException

    def append(self, payload: Payload) -> Entry:
        if isinstance(payload, Ticket):
            raise self.ends_with
        return super().append(payload)


class Overtaken(Ledger):
    """A ledger into which somebody else writes so many times just before an acceptance is appended."""

    times: int
    struck: str

    def append_after(
        self, seq: int, payloads: Sequence[Payload], contents: Sequence[bytes] = ()
    ) -> tuple[Entry, ...] | None:
        if self.times:
            self.times -= 1
            self.append(Invalidation(subject=self.struck, fact=None, reason="a throttled card", person="Eve"))
        return super().append_after(seq, payloads, contents)


def decide(bench: Bench, arm: str = "four-slots", ledger: Ledger | None = None) -> Acceptance | tuple[str, ...]:
    """A person accepts."""
    return accept(bench.workspace, ledger or bench.ledger, "0001", arm, "four users wait less", "Ada Example")


def refused(bench: Bench, arm: str = "four-slots", ledger: Ledger | None = None) -> str:
    """The one sentence of a refusal."""
    said = decide(bench, arm, ledger)
    assert isinstance(said, tuple)
    return "; ".join(said)


def overlay(bench: Bench) -> Path:
    """The accepted settings."""
    return bench.workspace.folder / "targets" / f"{bench.target}.accepted.toml"


def hooked(bench: Bench, text: str) -> Path:
    """A hook that git runs before each commit."""
    hook = bench.workspace.folder / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(text)
    hook.chmod(0o755)
    return hook


def ended_by(bench: Bench, number: signal.Signals) -> int | None:
    """Exit code of a process that accepts and gets this signal while git commits."""
    hook = hooked(bench, HOOK.format(signal=number.value))
    process = multiprocessing.get_context("fork").Process(target=_accepting, args=(bench,))
    process.start()
    process.join(PATIENCE_S)
    hook.unlink()
    return process.exitcode


def _accepting(bench: Bench) -> None:
    with bench.workspace.ledger() as ledger:
        try:
            decide(bench, ledger=ledger)
        except KeyboardInterrupt:
            os._exit(signal.SIGINT)


def test_whatever_ends_an_acceptance_the_next_one_makes_its_commit(bench: Bench) -> None:
    database = bench.ledger.database
    with Ending(database, "test", database.engine(create=False)) as ending:
        ending.ends_with = LedgerError("the disk is full")
        assert "its commit failed: the disk is full; mend that and accept the same arm again" in refused(
            bench, ledger=ending
        )
        ending.ends_with = KeyboardInterrupt()
        with pytest.raises(KeyboardInterrupt):
            decide(bench, ledger=ending)
    assert not overlay(bench).exists(), "a large model is read before the baseline is changed"
    assert ended_by(bench, signal.SIGINT) == signal.SIGINT
    assert not overlay(bench).exists() and bench.git("diff", "--cached", "--name-only") == ""
    assert ended_by(bench, signal.SIGKILL) == -signal.SIGKILL
    assert overlay(bench).exists(), "nobody was left to put it back"
    assert isinstance(decide(bench), Acceptance)
    ((entry, _),) = bench.ledger.of(Acceptance)
    assert f"Ledger-Head: {entry.seq} {entry.id}" in bench.trailers()
    assert overlay(bench).exists() and bench.git("status", "--porcelain") == ""


def test_what_is_recorded_while_the_evidence_is_looked_at_is_looked_at_too(bench: Bench) -> None:
    database, (launch, _) = bench.ledger.database, bench.ledger.of(Launch)[0]
    with Overtaken(database, "test", database.engine(create=False)) as overtaken:
        overtaken.times, overtaken.struck = 1, launch.id
        assert "was struck by Eve: a throttled card); measure again" in refused(bench, ledger=overtaken)
        overtaken.times, overtaken.struck = TRIES, bench.ledger.of(Invalidation)[0][0].id
        overtaken.append(Invalidation(subject=overtaken.struck, fact=None, reason="it was not", person="Eve"))
        assert f"something was recorded each of the {TRIES} times" in refused(bench, ledger=overtaken)
        assert overtaken.times == 0
    assert bench.ledger.of(Acceptance) == []
    with held_alone(bench.workspace.scratch, DECIDING):
        assert f"process {os.getpid()} accepts or rolls back in this workspace" in refused(bench)


def test_an_acceptance_taken_back_before_its_commit_is_decided_anew(bench: Bench) -> None:
    bench.measure("m-000002", Q8)
    hook = hooked(bench, "#!/bin/sh\necho not today >&2\nexit 1\n")
    assert "its commit failed: not today" in refused(bench)
    ((first, _),) = bench.ledger.of(Acceptance)
    words = f"'four-slots' is accepted for 'local-llamacpp' (entry {first.seq}), but git here has no commit of it"
    words += f"; {PULL} accept it again, which makes the commit only, or take it back with `committee rollback "
    assert words in refused(bench, "kv-q8"), "the two were never measured together"
    hook.unlink()

    before, step = bench.git("rev-parse", "HEAD"), next_step(bench.ledger, bench.target)
    assert not isinstance(step, str)
    kept = roll_back(bench.workspace, bench.ledger, step, "it got too hot", "Ada")
    ((entry, _),) = bench.ledger.of(Rollback)
    assert isinstance(kept, Kept) and "git holds that baseline already, so a note on its commit keeps" in kept.words
    assert bench.git("rev-parse", "HEAD") == before
    assert f"Ledger-Head: {entry.seq} {entry.id}" in bench.git("notes", "--ref", "ledger", "show")
    stale = roll_back(bench.workspace, bench.ledger, step, "once more", "Ada")
    assert isinstance(stale, tuple) and "something else was decided on 'local-llamacpp' meanwhile" in stale[0]

    assert isinstance(decide(bench), Acceptance)
    (_, (second, anew)) = bench.ledger.of(Acceptance)
    now = course_of(bench.ledger, bench.target).now
    assert now is not None and now[0].id == second.id and anew.supersedes == first.id
    assert f"Ledger-Head: {second.seq} {second.id}" in bench.trailers() and second.id in overlay(bench).read_text()


def test_a_rollback_without_its_commit_is_finished_before_anything_is_accepted(bench: Bench) -> None:
    assert isinstance(decide(bench), Acceptance)
    bench.measure("m-000002", Q8)
    hook = hooked(bench, "#!/bin/sh\necho not today >&2\nexit 1\n")
    step = next_step(bench.ledger, bench.target)
    assert not isinstance(step, str)
    said = roll_back(bench.workspace, bench.ledger, step, "it got too hot", "Ada")
    assert isinstance(said, tuple) and "its commit failed: not today" in said[0]
    hook.unlink()
    open_one = f"is on record, but git still holds the baseline that it leaves; {PULL} finish it with `committee "
    for arm in (FOUR.name, Q8.name):
        assert open_one in refused(bench, arm)
    again = next_step(bench.ledger, bench.target)
    assert not isinstance(again, str)
    assert roll_back(bench.workspace, bench.ledger, again, "it got too hot", "Ada") == Kept(
        step_of(bench), committed=True
    )
    assert not overlay(bench).exists() and bench.git("status", "--porcelain") == ""


def step_of(bench: Bench) -> Rollback:
    """The one rollback on record."""
    ((entry, rollback),) = bench.ledger.of(Rollback)
    assert Head(entry.seq, entry.id) == bench.ledger.head()
    return rollback
