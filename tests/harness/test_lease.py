"""The lease: one holder, live ones are never displaced, stale ones explained, resumed or taken over."""

import json
import os
import re
import subprocess
import sys
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from harness import procfs
from harness.lease import TAKE_OVER, Holder, Lease, LeaseHeld, forget_elsewhere, kept_for, read

TAKE = """
import sys, pathlib
from harness.lease import Lease
sys.stdin.readline()
outcome = Lease.take(pathlib.Path(sys.argv[1]), sys.argv[2])
print(type(outcome).__name__, flush=True)
sys.stdin.readline()
"""


def contender(state: Path, run: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", TAKE, str(state), run], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def write(state: Path, holder: Holder) -> None:
    procfs.write_atomically(state / "lease.json", asdict(holder))


def taken(outcome: Lease | LeaseHeld) -> Lease:
    assert isinstance(outcome, Lease), outcome
    return outcome


def leased_elsewhere(state: Path, run: str = "run-0") -> None:
    """As a process of another host left it, or of a container that got another name since."""
    state.mkdir(parents=True, exist_ok=True)
    write(state, Holder("ada@elsewhere.invalid", 1, 1, "another", run, 0.0))


def test_taken_recorded_and_released(tmp_path: Path) -> None:
    state = tmp_path / "state"
    with taken(Lease.take(state, "run-1")) as lease:
        written = json.loads((state / "lease.json").read_text(encoding="utf-8"))
        assert written == asdict(lease.holder)
        assert (written["pid"], written["run"]) == (os.getpid(), "run-1")
        assert written["start_time"] == procfs.start_time(os.getpid())
        assert read(state) == lease.holder
    assert read(state) is None


def test_a_live_holder_is_never_displaced(tmp_path: Path) -> None:
    with taken(Lease.take(tmp_path, "run-1")) as lease:
        for run, take_over in (("run-1", False), ("run-2", True)):
            refused = Lease.take(tmp_path, run, take_over=take_over)
            assert isinstance(refused, LeaseHeld)
            assert refused.stale is False
            assert re.fullmatch(
                rf"The target is being measured by \S+@\S+ \(pid {os.getpid()}, since [-0-9]+ [:0-9]+\) "
                "for run 'run-1'; wait until it ends, or `harness stop run-1`.",
                refused.sentence,
            )
        assert read(tmp_path) == lease.holder


def test_a_stale_lease_is_explained_resumed_or_taken_over(tmp_path: Path) -> None:
    with taken(Lease.take(tmp_path, "run-1")) as lease:
        # its pid lives on as another process
        reused = replace(lease.holder, start_time=lease.holder.start_time + 1)
    write(tmp_path, reused)
    refused = Lease.take(tmp_path, "run-2")
    assert isinstance(refused, LeaseHeld)
    assert refused.stale is True
    assert refused.sentence.endswith(f"is stale: that process is gone; go on with that run, or {TAKE_OVER}.")
    taken(Lease.take(tmp_path, "run-1")).release()
    write(tmp_path, reused)
    taken(Lease.take(tmp_path, "run-2", take_over=True)).release()
    write(tmp_path, replace(lease.holder, boot="another"))
    taken(Lease.take(tmp_path, "run-1")).release()
    assert read(tmp_path) is None


def test_what_a_killed_command_left_is_replaced_unasked(tmp_path: Path) -> None:
    for command in ("start", "stop"):
        with taken(Lease.take(tmp_path, command)) as lease:
            live = Lease.take(tmp_path, "run-1", take_over=True)
            assert isinstance(live, LeaseHeld) and f"for run '{command}'" in live.sentence
        write(tmp_path, replace(lease.holder, start_time=lease.holder.start_time + 1))
        taken(Lease.take(tmp_path, "run-1")).release()


def test_a_holder_on_another_host_cannot_be_judged(tmp_path: Path) -> None:
    with taken(Lease.take(tmp_path, "run-1")) as lease:
        elsewhere = replace(lease.holder, owner="somebody@elsewhere.invalid", pid=1)
    write(tmp_path, elsewhere)
    refused = Lease.take(tmp_path, "run-1", take_over=True)
    assert isinstance(refused, LeaseHeld)
    assert refused.sentence.startswith("The target is leased by somebody@elsewhere.invalid (pid 1, ")
    assert refused.sentence.endswith(
        "for run 'run-1'; whether that process lives can only be seen on 'elsewhere.invalid', so look there first; "
        "if it is gone for good, give `harness start`, `stop`, `measure` or `profile` with --take-over."
    )
    forget_elsewhere(tmp_path)
    taken(Lease.take(tmp_path, "run-2")).release()


def test_only_a_lease_of_another_host_is_forgotten(tmp_path: Path) -> None:
    forget_elsewhere(tmp_path / "never made")
    assert not (tmp_path / "never made").exists()
    with taken(Lease.take(tmp_path, "run-1")) as lease:
        for live in (lease.holder, replace(lease.holder, owner="ada@as-it-was-called-before")):
            write(tmp_path, live)
            forget_elsewhere(tmp_path)
            assert read(tmp_path) == live
            refused = Lease.take(tmp_path, "run-2", take_over=True)
            assert isinstance(refused, LeaseHeld) and "is being measured by" in refused.sentence
        stale = replace(lease.holder, start_time=lease.holder.start_time + 1)
    write(tmp_path, stale)
    forget_elsewhere(tmp_path)
    assert read(tmp_path) == stale, "one of this machine is explained as before"


def test_who_may_be_at_it_is_said(tmp_path: Path) -> None:
    assert kept_for(tmp_path, "deploy") is None
    with taken(Lease.take(tmp_path, "deploy")) as lease:
        assert "is being measured by" in (kept_for(tmp_path, "deploy") or "")
        assert kept_for(tmp_path, "run-1") is None
    write(tmp_path, replace(lease.holder, pid=1))
    assert kept_for(tmp_path, "deploy") is None
    write(tmp_path, replace(lease.holder, pid=1, owner="somebody@elsewhere.invalid"))
    assert "can only be seen on 'elsewhere.invalid'" in (kept_for(tmp_path, "deploy") or "")


def test_release_leaves_a_lease_that_was_taken_over(tmp_path: Path) -> None:
    lease = taken(Lease.take(tmp_path, "run-1"))
    other = replace(lease.holder, run="run-2")
    write(tmp_path, other)
    lease.release()
    assert read(tmp_path) == other
    (tmp_path / "lease.json").unlink()
    lease.release()


def test_of_many_at_once_one_gets_it_and_a_kill_makes_it_stale(tmp_path: Path) -> None:
    contenders = [contender(tmp_path, f"run-{number}") for number in range(4)]
    try:
        for one in contenders:
            assert one.stdin is not None
            one.stdin.write("go\n")
            one.stdin.flush()
        said = [one.stdout.readline().strip() for one in contenders if one.stdout]
        assert sorted(said) == ["Lease", "LeaseHeld", "LeaseHeld", "LeaseHeld"]
    finally:
        for one in contenders:
            one.kill()
            one.communicate()
    winner = said.index("Lease")
    holder = read(tmp_path)
    assert holder is not None
    assert (holder.pid, holder.run) == (contenders[winner].pid, f"run-{winner}")
    refused = Lease.take(tmp_path, "run-9")
    assert isinstance(refused, LeaseHeld)
    assert refused.stale is True


def written(**changed: object) -> str:
    """A lease as another version or a hand may have left it."""
    whole = {"owner": "a@b", "pid": 1, "start_time": 2, "boot": "x", "run": "run-0", "since": 0.0}
    return json.dumps(whole | changed)


@pytest.mark.parametrize(
    "content",
    [
        *("", "{", "[]", "{}", '{"owner": "a@b", "pid": 1}', "\udcff"),
        *(written(owner=None), written(pid="1"), written(since="x"), written(since=1e300)),
    ],
)
def test_a_lease_that_names_nobody_is_one_sentence_and_taken_over_on_request(tmp_path: Path, content: str) -> None:
    path = tmp_path / "lease.json"
    path.write_bytes(content.encode(errors="surrogateescape"))
    refused = Lease.take(tmp_path, "run-1")
    assert isinstance(refused, LeaseHeld) and refused.stale is True
    assert re.fullmatch(
        rf"{re.escape(repr(str(path)))} does not say who holds the lease \(.+\); "
        "give this command once more with --take-over if nobody measures there\\.",
        refused.sentence,
    )
    assert read(tmp_path) is None
    with taken(Lease.take(tmp_path, "run-1", take_over=True)) as lease:
        assert read(tmp_path) == lease.holder


def test_who_measures_over_ssh_is_named_with_the_process_that_stands_for_it(tmp_path: Path) -> None:
    with taken(Lease.take(tmp_path, "run-1", through="ada@desk")) as lease:
        refused = Lease.take(tmp_path, "run-2")
        assert isinstance(refused, LeaseHeld)
        assert f"is being measured by ada@desk through {lease.holder.owner} (pid {os.getpid()}," in refused.sentence


def test_a_lease_of_an_earlier_version_is_read(tmp_path: Path) -> None:
    with taken(Lease.take(tmp_path, "run-1")) as lease:
        written = asdict(lease.holder)
        del written["through"]
        procfs.write_atomically(tmp_path / "lease.json", written)
        assert read(tmp_path) == lease.holder
