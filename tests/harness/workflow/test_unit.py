"""The systemd unit of a target: what stands in it, and that systemd's own check takes it where it is installed."""

import os
import pwd
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from harness.hosts.spawn import PACKAGE_ROOT
from harness.workflow.unit import Restorer, restorer
from tests.harness.workflow.bench_yard import BenchYard

ANALYZE = shutil.which("systemd-analyze")
HERE = Restorer("small", "nobody", "/usr/bin/python3", Path("/srv/a b"), Path("/srv/100%/$x"), 180)


def test_it_restores_with_the_standard_library_alone_and_leaves_what_it_started_running() -> None:
    lines = HERE.service().splitlines()
    command = '"/usr/bin/python3" "-E" "-s" "-S" "-m" "harness.hosts.far" "restore" "/srv/100%%/$$x"'
    assert f"ExecStart={command}" in lines
    assert {"Type=oneshot", "User=nobody", "WorkingDirectory=/srv/a b", "KillMode=process"} <= set(lines)
    assert "TimeoutStartSec=180" in lines and "WantedBy=multi-user.target" in lines


def test_the_timer_looks_at_boot_and_each_minute() -> None:
    lines = HERE.timer().splitlines()
    assert {"OnBootSec=5", "OnUnitInactiveSec=60", "WantedBy=timers.target"} <= set(lines)
    assert lines[0].startswith("# committee-small.timer: runs committee-small.service;")


def test_an_account_that_no_list_knows_is_its_number_with_a_word_on_it() -> None:
    lines = replace(HERE, user="12345").service().splitlines()
    at = lines.index("User=12345")
    assert lines[at - 1].startswith("# No list of accounts knew this number where the unit was written.")
    assert not [line for line in HERE.service().splitlines()[1:] if line.startswith("# No list")]


async def test_the_one_of_a_target_here_names_its_state_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOGNAME", "uid-12345")  # as systemd refuses it
    yard = BenchYard(tmp_path)
    made = await restorer(yard.order().target, yard.place)
    assert (made.state, made.code, made.timeout_s) == (yard.place, PACKAGE_ROOT, 3 * 20 + 120)
    assert made.user in {str(os.getuid()), *(entry.pw_name for entry in pwd.getpwall())}


@pytest.mark.system
def test_systemd_takes_both_files(tmp_path: Path) -> None:
    made = Restorer("small", "root", shutil.which("python3") or "", tmp_path, tmp_path / "100% $x", 180)
    for suffix, text in (("service", made.service()), ("timer", made.timer())):
        (tmp_path / f"{made.name}.{suffix}").write_text(text, encoding="utf-8")
    for suffix in ("service", "timer"):
        command = [ANALYZE or "", "verify", "--man=no", str(tmp_path / f"{made.name}.{suffix}")]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        said = [line for line in done.stderr.splitlines() if made.name in line]
        assert (done.returncode, said) == (0, []), done.stderr
