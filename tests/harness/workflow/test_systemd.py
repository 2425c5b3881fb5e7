"""A systemd of a test's own, in namespaces: the guardian's scope, the service and the timer seen at work.

Needs root and a kernel that lets it mount a control group tree; production is the small stand-in server.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from harness import procfs
from tests.harness.workflow.kill_yard import PROJECT, TARGET

SYSTEMD = Path("/lib/systemd/systemd")
TARGETS = "test sysinit basic network local-fs timers shutdown"  # all that this machine has of Debian's own units
BOOT = f"""set -e
mount --make-rprivate /
mount -t tmpfs tmpfs /run
mkdir -p /run/systemd/system /run/lock
mount -t proc proc /proc
mount -t cgroup2 none /sys/fs/cgroup
mount -t tmpfs tmpfs /lib/systemd/system
mount -t tmpfs tmpfs /etc/systemd/system
for name in {TARGETS}; do
    printf '[Unit]\\nDescription=empty\\nDefaultDependencies=no\\n' > /lib/systemd/system/$name.target
done
export container=docker
exec {SYSTEMD} --unit=test.target --log-target=null
"""
NAMESPACES = ("--pid", "--fork", "--mount", "--uts", "--ipc", "--cgroup", "--kill-child")
LIMIT_S = 60


@dataclass(frozen=True)
class Machine:
    """A machine that systemd runs, as far as its own processes can tell."""

    init: int  # systemd's pid, seen from outside
    workspace: Path

    def run(self, *words: str, given: str = "") -> subprocess.CompletedProcess[str]:
        """A command on it."""
        inside = ("nsenter", "--target", str(self.init), "--all", f"--wd={PROJECT}", "--", *words)
        return subprocess.run(inside, input=given, capture_output=True, text=True, timeout=LIMIT_S, check=False)

    def harness(self, *words: str) -> subprocess.CompletedProcess[str]:
        """A command of the harness on it."""
        return self.run(sys.executable, "-m", "harness", *words, "--workspace", str(self.workspace))

    def good(self, *words: str, given: str = "") -> str:
        """What a command printed that has to end well."""
        done = self.run(*words, given=given)
        assert done.returncode == 0, (words, done.stdout, done.stderr)
        return done.stdout

    def state(self, name: str) -> dict[str, object]:
        """A file of the guardian's, with pids as the machine counts them."""
        found: dict[str, object] = json.loads((self.workspace / ".committee/targets/small" / name).read_text())
        return found

    def kill_both(self) -> None:
        """The guardian and production, at once; the harness is not there to notice."""
        held = self.state("production.json")["held"]
        assert isinstance(held, dict)
        self.good("kill", "-9", str(self.state("guardian.json")["pid"]), str(held["pid"]))
        self.until(lambda: not self.is_up(), "production is down")

    def is_up(self) -> bool:
        """Whether production said ready and lives."""
        state = self.state("production.json")
        held = state["held"]
        lives = isinstance(held, dict) and self.run("kill", "-0", str(held["pid"])).returncode == 0
        return lives and state["url"] is not None

    def until(self, holds: Callable[[], bool], what: str) -> None:
        """Look again until it holds; bounded."""
        end = time.monotonic() + LIMIT_S
        while not holds():
            assert time.monotonic() < end, f"not within {LIMIT_S} s: {what}"
            time.sleep(0.2)


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    """One with the small target's workspace; nothing of it is left afterwards."""
    assert os.getuid() == 0 and SYSTEMD.exists(), "this test needs root and Debian's package systemd"
    workspace = tmp_path / "workspace"
    (workspace / "targets").mkdir(parents=True)
    (workspace / "targets" / "small.toml").write_text(TARGET, encoding="utf-8")
    (workspace / "committee.toml").write_text('schema = 1\n[[reviewer]]\nname = "nobody"\nkind = "embedded"\n')
    outside = subprocess.Popen(
        ("unshare", *NAMESPACES, "sh", "-c", BOOT), stderr=subprocess.DEVNULL, start_new_session=True
    )
    init = 0
    try:
        end = time.monotonic() + LIMIT_S
        while not init or Machine(init, workspace).run("systemctl", "is-system-running").stdout.strip() != "running":
            assert time.monotonic() < end and outside.poll() is None, "systemd did not come up"
            children = Path(f"/proc/{outside.pid}/task/{outside.pid}/children").read_text().split()
            init = int(children[0]) if children else 0
            time.sleep(0.1)
        yield Machine(init, workspace)
    finally:
        if init:
            procfs.send(init, procfs.start_time(init), signal.SIGKILL)  # the kernel ends the whole namespace with it
        outside.kill()
        outside.wait()


@pytest.mark.system
def test_the_guardian_has_a_scope_and_service_and_timer_bring_production_back(machine: Machine) -> None:
    started = machine.harness("start", "small")
    assert started.returncode == 0, started
    scopes = machine.good("systemctl", "list-units", "--type=scope", "--plain", "--no-legend")
    assert "Guardian of small (committee)" in scopes
    for words, suffix in (((), "service"), (("--timer",), "timer")):
        text = machine.harness("unit", "small", *words).stdout
        machine.good("sh", "-c", f"cat > /run/systemd/system/committee-small.{suffix}", given=text)
    machine.good("systemctl", "daemon-reload")

    machine.good("systemctl", "start", "committee-small.service")  # nothing to do, and nothing is done
    before = machine.state("production.json")["held"]
    assert machine.is_up() and machine.state("production.json")["held"] == before

    machine.kill_both()
    machine.good("systemctl", "start", "committee-small.service")
    assert machine.is_up() and machine.state("production.json")["held"] != before
    assert machine.run("systemctl", "is-active", "committee-small.service").stdout.strip() == "inactive"
    scopes = machine.good("systemctl", "list-units", "--type=scope", "--plain", "--no-legend")
    assert "Guardian of small (committee)" in scopes

    machine.kill_both()
    machine.good("systemctl", "start", "committee-small.timer")  # its moment after the boot is over: at once
    machine.until(machine.is_up, "the timer's service has brought production back")
    attested = machine.harness("attest", "small")
    assert attested.returncode == 0, attested
    stopped = machine.harness("stop", "small")
    assert stopped.returncode == 0, stopped
