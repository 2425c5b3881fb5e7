"""Kills at every write point, a full disk, a file that cannot be written, and files copied in the middle of a write."""

import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import pytest

from ledger import entries as e
from ledger.chain import Head
from ledger.errors import LedgerError
from ledger.findings import FindingKind as Kind
from ledger.head_file import head_path, read_head
from ledger.store import Ledger
from ledger.verify import verify
from tests.ledger.foreign import foreign, only_read
from tests.ledger.test_processes import start

LIMIT_S = 120
DIES = """
import os, sys
from pathlib import Path
import ledger.inserting, ledger.migrations, ledger.opening, ledger.store, ledger.blobs, ledger.sqlite_file
import ledger.rebuild, ledger.withhold
from ledger.entries import Parked

path, module, name, what = Path(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4]
real = getattr(sys.modules[module], name)
calls = int(sys.argv[5])

def dying(*args, **named):
    global calls
    calls -= 1
    if calls < 0:
        os.kill(os.getpid(), 9)
    return real(*args, **named)

parked = [Parked(subject=str(n), proposal=None, reason="y", person="z") for n in range(300)]
if what == "create":
    setattr(sys.modules[module], name, dying)
    ledger.store.Ledger.open(path, actor="victim", create=True)
elif what == "rebuild":
    setattr(sys.modules[module], name, dying)
    ledger.rebuild.rebuild(path, actor="victim")
else:
    with ledger.store.Ledger.open(path, actor="victim") as victim:
        setattr(sys.modules[module], name, dying)
        if what == "append":
            victim.append_all(parked)
        elif what == "blob":
            victim.put_blob(os.urandom(3 << 20), "text/plain")
        else:
            wanted = ledger.withhold.Wanted(("1", "19"))
            ledger.withhold.withhold(victim, wanted, reason="why", person="Ada")
"""
# Each point at which an append, a blob, a tombstone, a rebuild or a new ledger has done one thing and not the next:
# module, function, how many calls of it go through, what is done, how many entries are there afterwards.
POINTS = (
    ("ledger.inserting", "link", 0, "append", 20),  # the lock is held, nothing is written
    ("ledger.inserting", "insert_rows", 0, "append", 20),
    ("ledger.inserting", "insert_rows", 1, "append", 20),  # entries without projections
    ("ledger.inserting", "insert_rows", 2, "append", 20),  # without the root of their batch
    ("ledger.store", "newest", 1, "append", 320),  # after the commit, before the head is read for its file
    ("ledger.store", "write_head", 0, "append", 320),
    ("ledger.blobs", "size_of", 0, "blob", 20),
    ("ledger.withhold", "_take_out", 0, "withhold", 20),  # the tombstone is written, nothing is taken out
    ("ledger.sqlite_file", "guard", 5, "withhold", 20),  # content is out, guards are half back
    ("ledger.store", "write_head", 0, "withhold", 21),
    ("ledger.rebuild", "_refill", 0, "rebuild", 20),  # the tables are empty
    ("ledger.sqlite_file", "guard", 9, "rebuild", 20),
)


def dies(path: Path, module: str, name: str, what: str, calls: int) -> None:
    """A process that is killed at one point."""
    argv = [sys.executable, "-c", DIES, str(path), module, name, what, str(calls)]
    done = subprocess.run(argv, timeout=LIMIT_S, check=False, capture_output=True, text=True)
    assert done.returncode == -signal.SIGKILL, done.stderr


@pytest.mark.system
@pytest.mark.parametrize(("module", "name", "calls", "what", "left"), POINTS)
def test_a_kill_at_every_write_point(full: Path, module: str, name: str, calls: int, what: str, left: int) -> None:
    dies(full, module, name, what, calls)
    outcome = verify(full)
    assert (outcome.ok, outcome.entries) == (True, left), outcome.findings
    assert len(outcome.findings) == (2 if left == 21 else 0)
    with Ledger.open(full, actor="test") as ledger:
        entry = ledger.append(ledger.find("18").payload)
    assert entry.seq == left + 1
    assert read_head(full) == Head(entry.seq, entry.id)
    assert verify(full).ok


@pytest.mark.system
@pytest.mark.parametrize(("module", "name"), [("ledger.migrations", "utc_now"), ("ledger.opening", "write_head")])
def test_a_kill_while_a_ledger_is_made(tmp_path: Path, module: str, name: str) -> None:
    path = tmp_path / "records.db"
    dies(path, module, name, "create", 0)
    with Ledger.open(path, actor="test", create=True) as ledger:
        ledger.append(e.Parked(subject="x", proposal=None, reason="y", person="z"))
    assert verify(path).ok


def test_a_file_that_may_only_be_read(pristine: Path) -> None:
    """It is read, and nothing is left beside it; a write is refused."""
    with foreign(pristine) as path:
        with only_read(path):
            assert verify(path).ok
            with Ledger.open(path, actor="test") as ledger:
                assert ledger.find("3").seq == 3
                with pytest.raises(LedgerError, match="cannot be written; make the file and its folder writable"):
                    ledger.append(e.Parked(subject="x", proposal=None, reason="y", person="z"))
                assert len(list(ledger.entries())) == 20
            assert {one.name for one in path.parent.iterdir()} == {"records.db", "records.db.head"}
        assert verify(path) == verify(pristine)


def test_a_database_without_its_head_file_is_read_where_nothing_can_be_written(pristine: Path) -> None:
    with foreign(pristine) as path:
        head_path(path).unlink()
        with only_read(path):
            with Ledger.open(path, actor="test") as ledger:
                assert ledger.find("3").seq == 3
            assert [one.what for one in verify(path).findings] == [Kind.MISSING_HEAD]
        with Ledger.open(path, actor="its owner") as ledger:
            assert read_head(path) is None, "to open it is not to vouch for what is there"
            entry = ledger.append(ledger.find("18").payload)
            assert read_head(path) == Head(entry.seq, entry.id)


def test_a_database_without_its_head_file_is_read_while_somebody_writes(
    full: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ledger.sqlite.BUSY_TIMEOUT_S", 0.05)
    head_path(full).unlink()
    with closing(sqlite3.connect(full, isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        with Ledger.open(full, actor="test") as ledger:
            assert ledger.find("3").seq == 3
    assert read_head(full) is None


APPENDS = """
import sys
from pathlib import Path
from ledger.errors import LedgerError
from ledger.store import Ledger
from ledger.verify import verify

try:
    with Ledger.open(Path(sys.argv[1]), actor="victim") as ledger:
        print(ledger.find("3").seq)
        ledger.append(ledger.find("18").payload)
except LedgerError as error:
    print(error)
print(verify(Path(sys.argv[1])).findings)
"""


# Root reads and writes whatever the modes say, so there it is tried as nobody; and only root can show another's file.
AS_NOBODY = ("setpriv", "--reuid", "nobody", "--regid", "nogroup", "--clear-groups") if os.getuid() == 0 else ()
MODES = ((0o444, 0o555), (0o644, 0o755)) if AS_NOBODY else ((0o444, 0o555),)


@pytest.mark.system
@pytest.mark.parametrize("modes", MODES)
def test_somebody_who_may_only_read_reads_and_writes_nothing(pristine: Path, modes: tuple[int, int]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "records.db"
        for source, copy in ((pristine, path), (head_path(pristine), head_path(path))):
            shutil.copy(source, copy)
            copy.chmod(modes[0])
        path.parent.chmod(modes[1])
        argv = [*AS_NOBODY, sys.executable, "-c", APPENDS, str(path)]
        done = subprocess.run(argv, timeout=LIMIT_S, check=False, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")
        said = done.stdout.splitlines()
        assert said[-1] == "()" and any("make the file and its folder writable" in one for one in said[:-1])
        path.parent.chmod(0o755)
        assert verify(path) == verify(pristine)


FILLS = """
import resource, sys
from pathlib import Path
from ledger.errors import LedgerError
from ledger.store import Ledger
path = Path(sys.argv[1])
with Ledger.open(path, actor="victim") as ledger:
    resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size, resource.RLIM_INFINITY))
    import signal
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        ledger.put_blob(bytes(range(256)) * 9000 + __import__("os").urandom(1 << 20), "text/plain")
    except LedgerError as error:
        print(error)
"""


def test_no_file_can_grow(full: Path) -> None:
    argv = [sys.executable, "-c", FILLS, str(full)]
    done = subprocess.run(argv, timeout=LIMIT_S, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert "make room" in done.stdout
    assert verify(full).findings == ()
    with Ledger.open(full, actor="test") as ledger:
        assert ledger.append(ledger.find("18").payload).seq == 21
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] == resource.RLIM_INFINITY


@pytest.mark.system
def test_files_copied_in_the_middle_of_writing(tmp_path: Path) -> None:
    """As after a power loss: what was confirmed before the copy began is there, or the loss is named."""
    path = tmp_path / "records.db"
    with start(path, "writer", 10_000) as writer:
        assert writer.stdout is not None
        for copied, line in zip(range(12), (one for one in writer.stdout if one.strip().isdecimal()), strict=False):
            writer.send_signal(signal.SIGSTOP)
            place = tmp_path / str(copied)
            place.mkdir()
            for file in sorted(path.parent.glob("records.db*")):
                if not file.name.endswith("-shm"):
                    shutil.copy(file, place / file.name)
            writer.send_signal(signal.SIGCONT)
            copy = place / "records.db"
            outcome = verify(copy)
            assert outcome.ok, outcome.findings
            assert outcome.entries >= int(line)
            with Ledger.open(copy, actor="test") as ledger:
                ledger.append(ledger.find("1").payload)
        writer.kill()
        writer.communicate(timeout=LIMIT_S)


@pytest.mark.system
def test_the_log_lost_with_the_power_is_named(full: Path, tmp_path: Path) -> None:
    """A copy of the database without its write-ahead log lacks what was confirmed; the head file says so."""
    lost = tmp_path / "lost"
    lost.mkdir()
    with Ledger.open(full, actor="test") as ledger, closing(sqlite3.connect(full)) as holds_the_log:
        holds_the_log.execute("SELECT COUNT(*) FROM entry").fetchone()
        ledger.append(ledger.find("18").payload)
        assert full.with_name("records.db-wal").stat().st_size > 0
        shutil.copy(full, lost / "records.db")
        shutil.copy(head_path(full), lost / "records.db.head")
    found = [(one.what, one.where) for one in verify(lost / "records.db").findings]
    assert found == [(Kind.CUT_TAIL, "#21")]


WRITES = """
import sys
from pathlib import Path
from ledger.entries import Parked
from ledger.store import Ledger

with Ledger.open(Path(sys.argv[1]), actor=sys.argv[2]) as ledger:
    for number in range(25):
        ledger.append_all([Parked(subject=f"{number}", proposal=None, reason="load", person="z")] * 25)
"""


@pytest.mark.system
def test_sixteen_writers_and_ten_thousand_entries(tmp_path: Path) -> None:
    path = tmp_path / "records.db"
    Ledger.open(path, actor="test", create=True).close()
    argv = [sys.executable, "-c", WRITES, str(path)]
    writers = [subprocess.Popen([*argv, f"writer-{number}"], stderr=subprocess.PIPE) for number in range(16)]
    for writer in writers:
        _out, errors = writer.communicate(timeout=LIMIT_S)
        assert (writer.returncode, errors) == (0, b"")
    outcome = verify(path)
    assert (outcome.ok, outcome.entries, outcome.findings) == (True, 10_000, ())
    with closing(sqlite3.connect(path)) as plain:
        each = plain.execute("SELECT actor, COUNT(*) FROM entry GROUP BY actor").fetchall()
    assert sorted(each) == sorted((f"writer-{number}", 625) for number in range(16))
