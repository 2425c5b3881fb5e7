"""Memory that a fault keeps is really there when the server starts, and outlives the server that it is held for."""

import os
import select
import subprocess
import sys
from pathlib import Path

STARTS = """
import os
from harness.simulator import decoy
assert decoy.start_holding(48)
"""


def holders(pid: int) -> list[int]:
    """Processes that hold memory until that one has gone."""
    words = f"--ends-with\0{pid}\0".encode()
    found = [int(one.name) for one in Path("/proc").iterdir() if one.name.isdigit()]
    return [one for one in found if words in _command(one)]


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:  # it ended while we looked
        return b""


def test_memory_is_held_before_the_server_goes_on_and_until_its_guardian_has_gone() -> None:
    starter = subprocess.Popen(
        ["/bin/sh", "-c", '"$@"; echo ended; read _', "sh", sys.executable, "-c", STARTS],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with starter:
        assert starter.stdout is not None and starter.stdout.readline() == "ended\n", "the server is gone"
        (holder,) = holders(starter.pid)
        handle = os.pidfd_open(holder)
        status = Path(f"/proc/{holder}/status").read_text(encoding="utf-8")
        assert int(status.split("VmRSS:")[1].split()[0]) > 48 * 1024
    assert select.select([handle], [], [], 60)[0] == [handle], "nobody holds it any more"
    os.close(handle)
