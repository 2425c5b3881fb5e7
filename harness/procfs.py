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
from typing import Any, NamedTuple

MARKER = "COMMITTEE_GUARDED"


class Stat(NamedTuple):
    """Fields 3, 4, 6 and 22 of /proc/PID/stat."""

    state: str
    parent: int
    session: int
    start_time: int

    @property
    def runs(self) -> bool:
        """Neither a zombie nor dead."""
        return self.state not in "ZX"


def stat(pid: int) -> Stat | None:
    """What the kernel says about a process; none when there is no such process."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        return Stat(fields[0].decode(), int(fields[1]), int(fields[3]), int(fields[19]))
    except (OSError, IndexError):
        return None


def start_time(pid: int) -> int:
    """Clock ticks since boot at which the process started; 0 when there is no such process."""
    found = stat(pid)
    return found.start_time if found else 0


def same(pid: int, started: int) -> bool:
    """Whether that very process still runs; a zombie does not."""
    found = stat(pid)
    return found is not None and found.start_time == started and found.runs


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


def erased(pid: int) -> bool:
    """Whether a process wrote over its environment, as servers that set their own title do; then no marker is left."""
    with suppress(OSError):
        return b"=" not in Path(f"/proc/{pid}/environ").read_bytes()
    return False


def members(key: str, chosen: Callable[[str], bool], roots: dict[int, int]) -> dict[int, int]:
    """pid -> start time of all that belongs to servers.

    That is: the `roots` (pid -> start time) that run, all carriers of a chosen label, processes without environment
    in the session of a root (also of one that is gone), and all descendants of these. Never the caller.
    """
    seen = {int(entry.name): stat(int(entry.name)) for entry in os.scandir("/proc") if entry.name.isdigit()}
    running = {pid: found for pid, found in seen.items() if found and found.runs and pid != os.getpid()}
    tree: dict[int, int] = {}
    for pid, found in running.items():
        label, root = marked(pid, key), roots.get(found.session)
        leader = seen.get(found.session)
        if (
            (label and chosen(label))
            or roots.get(pid) == found.start_time
            # the kernel gives no pid away while it names a session; a leader that differs means the session is not ours
            or (root and root <= found.start_time and (not leader or leader.start_time == root) and erased(pid))
        ):
            tree[pid] = found.start_time
    fresh = set(tree)
    while fresh:
        fresh = {pid for pid, found in running.items() if found.parent in fresh and pid not in tree}
        tree.update({pid: running[pid].start_time for pid in fresh})
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


def available_bytes(directory: Path) -> int:
    """Room on the disk of a directory, bytes."""
    found = os.statvfs(directory)
    return found.f_bavail * found.f_frsize


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


def unusable(state: Path, error: Exception) -> str:
    """One sentence for a damaged production.json. Never its content, which holds variables that are private."""
    said = f"{type(error).__name__}: {error}"
    return f"production.json in {str(state)!r} cannot be used ({said}); correct it or remove it"


def json_of(text: str | bytes) -> Any:
    """The value in JSON that somebody else wrote. Raises ValueError, also for what is nested too deeply to be read."""
    try:
        return json.loads(text)
    except RecursionError as error:
        raise ValueError("it is nested too deeply to be read") from error
