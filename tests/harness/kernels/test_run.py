"""The runner as a process: one at a time on a device, and one sentence when it ends without a report."""

import fcntl
import subprocess
import sys
import time
from pathlib import Path

import pytest

from harness.kernels.folder import read_folder
from harness.kernels.pack import Packed, pack
from harness.kernels.run import Asked, run_pack
from harness.vocabulary.base import BadFileError
from tests.harness.kernels.tasks import copied


@pytest.fixture
def packed(tmp_path: Path) -> Packed:
    """The example without its known-wrong arms."""
    return pack(read_folder(copied(tmp_path)), tmp_path / "pack")


def test_a_runner_that_ends_without_a_report_is_one_sentence(packed: Packed) -> None:
    plan = packed.path / "plan.json"
    plan.write_text(plan.read_text(encoding="utf-8").replace('"schema": 1', '"schema": 9'), encoding="utf-8")
    with pytest.raises(BadFileError) as refused:
        run_pack(packed, Asked())
    assert str(refused.value).startswith("the runner ended with status 1 and no report (")
    assert "has schema 9, not 1; pack the task again" in str(refused.value)


def waits(pid: int) -> bool:
    """Whether a process stands in line for a lock, by the system's own list."""
    lines = Path("/proc/locks").read_text(encoding="ascii").splitlines()
    return any(line.split()[1] == "->" and str(pid) in line.split() for line in lines)


def test_a_second_run_waits_for_the_device(packed: Packed, tmp_path: Path) -> None:
    lock, out = tmp_path / "lock", tmp_path / "out.json"
    argv = [sys.executable, str(packed.path / "runner.py"), str(packed.path), str(out), "--arm", "plain"]
    with lock.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        second = subprocess.Popen([*argv, "--lock", str(lock)])
        until = time.monotonic() + 60
        while not waits(second.pid) and second.poll() is None and time.monotonic() < until:
            time.sleep(0.02)
        assert waits(second.pid)
        assert not out.exists()
    assert second.wait(60) == 0
    assert out.exists()
