"""What the kernel shows of processes and ports: command lines, environments by name, mapped objects, who listens.

Standard library only: it runs on the target's host, also where only this file and `procfs.py` were copied. It looks,
it touches nothing; a process that ends meanwhile shows nothing.
"""

import hashlib
import os
import re
import shutil
import socket
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from harness.procfs import MARKER, stat

PROC = Path("/proc")
LISTEN = "0A"  # include/net/tcp_states.h
READ_BYTES = 1 << 20  # of a command line, an environment or the end of a log; more is cut
MAX_LOGS = 16  # other logs looked into
HASH_CHUNK = 1 << 20
MAX_HASHED_BYTES = 8 << 30  # an engine maps 3 to 5 GB of libraries; beyond this an object is named without a hash
OBJECT = re.compile(r"\.so(\.[0-9][0-9.]*)?$|\.(cubin|ptx|hsaco|gguf)$")  # what a server computes with

Json = dict[str, Any]
_hashes: dict[tuple[int, int, int, int], str] = {}  # (device, inode, size, time of change) -> SHA-256, for one process


def processes(pids: Iterable[int], names: Iterable[str], proc: Path = PROC) -> list[Json]:
    """Each process that can be read: parent, name, command line, and its environment.

    Values of the environment leave this host only for `names`; every other variable is said by its name alone.
    """
    allowed, found = frozenset(names), []
    for pid in pids:
        seen = stat(pid) if proc == PROC else None
        words = _zero_separated(proc / str(pid) / "cmdline")
        if words is None or (proc == PROC and seen is None):
            continue
        entries = _zero_separated(proc / str(pid) / "environ")
        pairs = [entry.split("=", 1) for entry in entries or () if "=" in entry and not entry.startswith(MARKER)]
        found.append(
            {
                "pid": pid,
                "parent": seen.parent if seen else 0,
                "name": _text(proc / str(pid) / "comm").strip(),
                "argv": words,
                "env": [[name, value if name in allowed else None] for name, value in sorted(pairs)] or None,
            }
        )
    return found


def usage(pids: Iterable[int], proc: Path = PROC) -> list[Json]:
    """What each process holds: memory of its own (RssAnon and RssShmem, MiB; no pages of files) and descriptors."""
    found: list[Json] = []
    for pid in pids:
        status = _text(proc / str(pid) / "status")
        kib = [int(size) for size in re.findall(r"^Rss(?:Anon|Shmem):\s+(\d+) kB", status, re.MULTILINE)]
        if kib:  # a process that has ended has no memory left
            name = _text(proc / str(pid) / "comm").strip()
            open_now = sum(1 for _ in _children(proc / str(pid) / "fd"))
            found.append({"pid": pid, "name": name, "memory_mib": sum(kib) / 1024, "descriptors": open_now})
    return found


def mapped(pid: int, proc: Path = PROC) -> dict[str, bool]:
    """Path -> whether the file still lies there, of the objects, kernels and models that a process has mapped."""
    found: dict[str, bool] = {}
    for line in _text(proc / str(pid) / "maps", limit=16 << 20).splitlines():
        columns = line.split(None, 5)
        if len(columns) == 6 and columns[5].startswith("/"):
            path = columns[5].rstrip().removesuffix(" (deleted)")
            if OBJECT.search(path):
                found[path] = found.get(path, True) and not columns[5].rstrip().endswith(" (deleted)")
    return found


def objects(pids: Iterable[int], wanted: Iterable[str] = (), proc: Path = PROC) -> list[Json]:
    """Every mapped object with its size, its SHA-256 and the processes that mapped it, sorted by path.

    `wanted` names files to hash first; model files are named without a hash unless wanted (gigabytes). A file that
    was replaced after it was mapped has no hash either: what is on the disk now is not what runs.
    """
    holders: dict[str, dict[int, bool]] = {}
    for pid in pids:
        for path, there in mapped(pid, proc).items():
            holders.setdefault(path, {})[pid] = there
    asked, left = frozenset(wanted), MAX_HASHED_BYTES
    found: list[Json] = []
    for path in sorted(holders, key=lambda name: (name not in asked, name)):
        size, digest = 0, None
        with suppress(OSError):
            size = Path(path).stat().st_size
            if all(holders[path].values()) and size <= left and (path in asked or not path.endswith(".gguf")):
                digest, left = hashed(Path(path)), left - size
        found.append({"path": path, "bytes": size, "sha256": digest, "pids": sorted(holders[path])})
    return sorted(found, key=lambda one: str(one["path"]))


def hashed(path: Path) -> str:
    """SHA-256 of a file, remembered for as long as the file is not changed. Raises OSError."""
    seen = path.stat()
    key = (seen.st_dev, seen.st_ino, seen.st_size, seen.st_mtime_ns)
    if key not in _hashes:
        digest = hashlib.sha256()
        with path.open("rb") as source:
            while chunk := source.read(HASH_CHUNK):
                digest.update(chunk)
        _hashes[key] = digest.hexdigest()
    return _hashes[key]


def listening_inodes(port: int, proc: Path = PROC) -> frozenset[int]:
    """Inodes of every TCP socket that listens on `port`, on whatever address."""
    found: set[int] = set()
    for table in ("tcp", "tcp6"):
        for line in _text(proc / "net" / table, limit=16 << 20).splitlines()[1:]:
            columns = line.split()
            if columns[3] == LISTEN and int(columns[1].rpartition(":")[2], 16) == port:
                found.add(int(columns[9]))
    return frozenset(found)


def socket_inodes(pids: Iterable[int], proc: Path = PROC) -> frozenset[int]:
    """Inodes of every socket that these processes hold."""
    found = (name for pid in pids for name in _open_names(pid, proc) if name.startswith("socket:["))
    return frozenset(int(name[8:-1]) for name in found)


def port_use(port: int, pids: Iterable[int]) -> Json:
    """Whether anybody listens on the port, and which other processes than `pids` do (those that can be seen)."""
    listening = listening_inodes(port)
    foreign = listening - socket_inodes(pids)
    holders: list[Json] = []
    if foreign:
        own = frozenset(pids)
        others = sorted(int(entry.name) for entry in PROC.iterdir() if entry.name.isdigit())
        for pid in (pid for pid in others if pid not in own):
            if foreign & socket_inodes((pid,)):
                words = _zero_separated(PROC / str(pid) / "cmdline") or []
                holders.append({"pid": pid, "command": " ".join(words)[:200]})
    return {"listening": bool(listening), "foreign": len(foreign), "holders": holders}


def free_port(host: str) -> int:
    """A port that nobody listens on now, for servers that cannot choose one; who answers is proved afterwards."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.bind((host, 0))
        return int(probe.getsockname()[1])


def other_logs(log: Path, pids: Iterable[int], since: float, patterns: Iterable[str]) -> list[Json]:
    """How often each pattern stands in logs other than `log` that were written to after `since` (seconds since 1970).

    Looked into: logs beside it and in the processes' directories, and files that they hold open for writing; the last
    MiB of each.
    """
    wanted = [re.compile(pattern, re.MULTILINE) for pattern in patterns]
    folders = {log.parent, *(PROC / str(pid) / "cwd" for pid in pids)}
    places = {path.resolve() for folder in folders for path in _children(folder) if path.suffix == ".log"}
    places |= {Path(name) for pid in pids for name in _written(pid)}
    found: list[Json] = []
    for path in sorted(places - {log}, key=_changed, reverse=True)[:MAX_LOGS]:
        if _changed(path) >= since and path.is_file() and not _same_file(path, log):
            text = _tail(path)
            counts = [len(pattern.findall(text)) for pattern in wanted]
            if any(counts):
                found.append({"path": str(path), "counts": counts})
    return found


def files(folder: Path) -> list[Json]:
    """Name and size of the regular files of a folder, sorted by name; empty where there is no such folder."""
    found = [{"name": path.name, "bytes": path.stat().st_size} for path in _children(folder) if path.is_file()]
    return sorted(found, key=lambda one: str(one["name"]))


def _written(pid: int, proc: Path = PROC) -> list[str]:
    """Regular files that a process holds open for writing."""
    names: list[str] = []
    for entry in _children(proc / str(pid) / "fd"):
        with suppress(OSError, ValueError, IndexError):
            name = str(entry.readlink())
            flags = int(_text(proc / str(pid) / "fdinfo" / entry.name).split("flags:")[1].split()[0], 8)
            if name.startswith("/") and not name.startswith("/dev/") and flags & 0o3:
                names.append(name)
    return names


def _open_names(pid: int, proc: Path) -> list[str]:
    names: list[str] = []
    for entry in _children(proc / str(pid) / "fd"):
        with suppress(OSError):
            names.append(str(entry.readlink()))
    return names


def _children(folder: Path) -> list[Path]:
    with suppress(OSError):
        return list(folder.iterdir())
    return []


def _changed(path: Path) -> float:
    with suppress(OSError):
        return path.stat().st_mtime
    return 0.0


def _same_file(one: Path, other: Path) -> bool:
    with suppress(OSError):
        return one.samefile(other)
    return False


def missing(program: str, search: str, cwd: str, paths: Iterable[str]) -> list[str]:
    """The program, if nothing that may be run has that name where it would be started, and paths at which nothing is.

    `search` is the server's own PATH; an empty program is not looked for.
    """
    named = os.path.join(cwd, program) if "/" in program else program  # noqa: PTH118 - an absolute program stays itself
    lacking = [program] if program and shutil.which(named, path=search) is None else []
    return [*lacking, *(path for path in paths if not Path(path).exists())]


def _tail(path: Path) -> str:
    def last(size: int) -> int:
        return max(0, size - READ_BYTES)

    return _text(path, start=last)


def _text(path: Path, limit: int = READ_BYTES, start: Callable[[int], int] | None = None) -> str:
    with suppress(OSError), path.open("rb") as source:
        if start is not None:
            source.seek(start(path.stat().st_size))
        return source.read(limit).decode("utf-8", errors="replace")
    return ""


def _zero_separated(path: Path) -> list[str] | None:
    """The words of a file that separates them by zero bytes; none if it cannot be read."""
    try:
        with path.open("rb") as source:
            content = source.read(READ_BYTES)
    except OSError:
        return None
    return [word.decode("utf-8", errors="replace") for word in content.split(b"\0") if word]
