"""Real processes: several writers never fork the chain, and a kill at any moment leaves a whole ledger."""

import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ledger.chain import Head
from ledger.head_file import read_head
from ledger.store import Ledger
from ledger.verify import verify

WRITER = """
import sys
from pathlib import Path
from ledger.entries import Parked
from ledger.store import Ledger

path, actor, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
with Ledger.open(path, actor=actor, create=True) as ledger:
    print("open", flush=True)
    for number in range(count):
        ledger.put_blob(f"{actor} {number}".encode() * 500, "text/plain")
        payload = Parked(subject=str(number), proposal=None, reason="load", person=actor)
        print(ledger.append_all((payload,) * 5)[-1].seq, flush=True)
"""
DIES = """
import os, sys
from pathlib import Path
from ledger import inserting, store
from ledger.entries import Parked

with store.Ledger.open(Path(sys.argv[1]), actor="victim") as ledger:
    setattr(inserting if hasattr(inserting, sys.argv[2]) else store, sys.argv[2], lambda *_: os.kill(os.getpid(), 9))
    ledger.append(Parked(subject="x", proposal=None, reason="y", person="z"))
"""
WRITERS, APPENDS, BATCH = 4, 10, 5  # four processes with fifty entries each, five in a transaction
KILLS = 3
LIMIT_S = 120


def start(path: Path, actor: str, count: int) -> subprocess.Popen[str]:
    """A writer in a process of its own."""
    argv = [sys.executable, "-c", WRITER, str(path), actor, str(count)]
    return subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_four_processes_at_once_make_one_chain(tmp_path: Path) -> None:
    path = tmp_path / "records.db"
    writers = [start(path, f"writer-{number}", APPENDS) for number in range(WRITERS)]
    for writer in writers:
        _out, errors = writer.communicate(timeout=LIMIT_S)
        assert (writer.returncode, errors) == (0, "")
    outcome = verify(path)
    assert outcome.ok, outcome.findings
    assert outcome.entries == WRITERS * APPENDS * BATCH
    assert read_head(path) == outcome.head
    with Ledger.open(path, actor="test") as ledger:
        for number in range(WRITERS):
            mine = [entry.payload for entry in ledger.entries() if entry.actor == f"writer-{number}"]
            assert [one.model_dump()["subject"] for one in mine[::BATCH]] == [str(one) for one in range(APPENDS)]


@pytest.mark.parametrize(("step", "recorded"), [("insert_rows", 20), ("write_head", 21)])
def test_a_kill_at_each_step_of_an_append(full: Path, step: str, recorded: int) -> None:
    """Before the projections nothing is recorded; before the head file the entry is, and the head file is behind."""
    done = subprocess.run([sys.executable, "-c", DIES, str(full), step], timeout=LIMIT_S, check=False)
    assert done.returncode == -signal.SIGKILL
    outcome = verify(full)
    assert (outcome.ok, outcome.entries) == (True, recorded)
    said = read_head(full)
    assert said is not None
    assert said.seq == 20
    with Ledger.open(full, actor="test") as ledger:
        entry = ledger.append(ledger.find("19").payload)
    assert entry.seq == recorded + 1
    assert read_head(full) == Head(entry.seq, entry.id)


def test_a_kill_at_any_moment_leaves_a_whole_ledger(tmp_path: Path) -> None:
    path = tmp_path / "records.db"
    dice = random.Random(20261129)  # noqa: S311 - any moment will do
    acknowledged = 0
    for number in range(KILLS):
        with start(path, f"victim-{number}", 10_000) as writer:
            assert writer.stdout is not None
            for line in writer.stdout:
                if line.strip().isdecimal():
                    acknowledged = int(line)
                    if dice.random() < 0.2:
                        break
            try:
                writer.wait(timeout=dice.uniform(0, 0.02))
            except subprocess.TimeoutExpired:
                writer.send_signal(signal.SIGKILL)
            writer.communicate(timeout=LIMIT_S)
        assert writer.returncode == -signal.SIGKILL
        outcome = verify(path)
        assert outcome.ok, outcome.findings
        assert outcome.entries >= acknowledged
        assert outcome.entries % BATCH == 0
    with Ledger.open(path, actor="test") as ledger:
        head = ledger.head()
        last = list(ledger.entries())[-1]
        assert head is not None
        after = ledger.append(last.payload)
        assert (after.seq, after.previous) == (head.seq + 1, head.id)
    assert verify(path).ok
