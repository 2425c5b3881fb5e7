"""Which process is which: pid and start time, the guardian's marker, process trees, one safe way to signal.

Standard library only: it is copied to another host together with `guardian.py`. It must not decide whom to end.
"""

import hashlib
import json
import os
import re
import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

MARKER = "COMMITTEE_GUARDED"


def stat(pid: int) -> tuple[str, int, int] | None:
    """State, parent and start time (fields 3, 4, 22 of /proc/PID/stat); none when there is no such process."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        return fields[0].decode(), int(fields[1]), int(fields[19])
    except (OSError, IndexError):
        return None


def start_time(pid: int) -> int:
    """Clock ticks since boot at which the process started; 0 when there is no such process."""
    found = stat(pid)
    return found[2] if found else 0


def same(pid: int, started: int) -> bool:
    """Whether that very process still runs; a zombie does not."""
    found = stat(pid)
    return found is not None and found[2] == started and found[0] not in "ZX"


def send(pid: int, started: int, number: int) -> bool:
    """Signal that very process: its pidfd is opened before its start time is read, so a reused pid is never hit."""
    handle = -1
    try:
        if hasattr(os, "pidfd_open"):
            with suppress(OSError):  # kernels before 5.3 fall back to the pid
                handle = os.pidfd_open(pid)
        if not same(pid, started):
            return False
        if handle >= 0:
            signal.pidfd_send_signal(handle, number)
        else:
            os.kill(pid, number)
    except OSError:
        return False
    finally:
        if handle >= 0:
            os.close(handle)
    return True


def state_key(state_dir: Path) -> str:
    """What the marker says about a state directory."""
    return hashlib.sha256(str(state_dir.resolve()).encode()).hexdigest()[:16]


def marked(pid: int, key: str) -> str:
    """The label in a process's marker for this state directory, or an empty string."""
    start = f"{MARKER}={key}:".encode()
    with suppress(OSError):
        for entry in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"):
            if entry.startswith(start):
                return entry[len(start) :].decode(errors="replace")
    return ""


def members(key: str, chosen: Callable[[str], bool], roots: dict[int, int]) -> dict[int, int]:
    """pid -> start time of the `roots` that run, of all carriers of a chosen label, and of all their descendants."""
    seen = {int(entry.name): stat(int(entry.name)) for entry in os.scandir("/proc") if entry.name.isdigit()}
    running = {pid: found for pid, found in seen.items() if found and found[0] not in "ZX" and pid != os.getpid()}
    tree = {pid: started for pid, started in roots.items() if pid in running and running[pid][2] == started}
    for pid, found in running.items():
        if pid not in tree and (label := marked(pid, key)) and chosen(label):
            tree[pid] = found[2]
    fresh = set(tree)
    while fresh:
        fresh = {pid for pid, found in running.items() if found[1] in fresh and pid not in tree}
        tree.update({pid: running[pid][2] for pid in fresh})
    return tree


def ready_line(text: str, pattern: str) -> tuple[str, str | None] | None:
    """The first complete line of a log that matches, and its group `url` if it has one."""
    for line in text[: text.rfind("\n") + 1].splitlines():
        if found := re.search(pattern, line):
            return line, found.groupdict().get("url")
    return None


def available_mib() -> int:
    """Memory available on this host, MiB."""
    found = re.search(r"MemAvailable:\s+(\d+) kB", Path("/proc/meminfo").read_text(encoding="ascii"))
    return int(found[1]) // 1024 if found else 0


def boot_id() -> str:
    """Names this boot: start times count from it."""
    return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()


def write_atomically(path: Path, value: dict[str, Any]) -> None:
    """Write JSON so that a reader, or a kill, never sees half of it."""
    beside = path.with_name(path.name + ".new")
    with beside.open("w", encoding="utf-8") as out:
        json.dump(value, out, indent=1)
        out.flush()
        os.fsync(out.fileno())
    beside.replace(path)
