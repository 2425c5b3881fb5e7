"""Reads kernels out of profiles: Nsight Systems' SQLite export, one file a process, and chrome traces. Looks only."""

import gzip
import math
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from harness.analyses.attribution import Calls, Profile
from harness.procfs import json_of
from harness.vocabulary.base import BadFileError
from ledger.regular_file import read_regular

LARGEST_TRACE = 2 << 30  # bytes, unpacked, of a chrome trace: it is read whole
MOST_MS = 1e12  # of one kernel in one run, thirty years; what is longer, negative or no number is damage
KERNEL_TABLE = "CUPTI_ACTIVITY_KIND_KERNEL"
GRAPH_TABLE = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE"  # one row a launch of a whole graph, none for its kernels
KERNEL_CATEGORIES = frozenset({"kernel", "gpu_op"})  # what torch's profiler calls a kernel, now and earlier
_KERNELS = (
    f"SELECT s.value, COUNT(*), SUM(k.end - k.start) FROM {KERNEL_TABLE} k "  # noqa: S608 - a constant of ours
    "JOIN StringIds s ON s.id = k.shortName GROUP BY s.value"
)


def read_profile(paths: Iterable[Path], steps: int) -> Profile:
    """All processes' kernels of one run, added up. Raises BadFileError with one sentence."""
    counts: dict[str, int] = defaultdict(int)
    times: dict[str, float] = defaultdict(float)
    for path in paths:
        for name, count, ms in _kernels(path):
            if not 0 <= ms < MOST_MS:
                raise BadFileError(f"{str(path)!r}: kernel {name!r} has a time of {ms:g} ms; profile it again")
            counts[name] += count
            times[name] += ms
    return Profile(steps, {name: Calls(counts[name], times[name]) for name in counts})


def _kernels(path: Path) -> Iterator[tuple[str, int, float]]:
    """Name, calls and milliseconds of each kernel of one file."""
    try:
        head = read_regular(path, 16)
    except OSError as error:
        raise BadFileError(f"{str(path)!r} cannot be read ({error.strerror}); check the path and its rights") from error
    if head.startswith(b"SQLite format 3"):
        yield from _nsight(path)
    elif head.startswith(b"\x1f\x8b") or head.lstrip()[:1] in (b"{", b"["):
        yield from _chrome(path)
    else:
        raise BadFileError(
            f"{str(path)!r} is neither an SQLite export of Nsight Systems nor a chrome trace; export a report with "
            "`nsys export --type sqlite`"
        )


def _nsight(path: Path) -> Iterator[tuple[str, int, float]]:
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as source:
            rows = source.execute(_KERNELS).fetchall()
            whole = source.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (GRAPH_TABLE,)).fetchone()
            whole = whole and source.execute(f"SELECT 1 FROM {GRAPH_TABLE} LIMIT 1").fetchone()  # noqa: S608 - as above
    except sqlite3.Error as error:
        raise BadFileError(
            f"{str(path)!r} has no table of kernels ({error}); profile the processes that run them, one file a process"
        ) from error
    if whole:
        raise BadFileError(
            f"{str(path)!r} has graphs traced as wholes, so the kernels inside them are not in it; profile with "
            "--cuda-graph-trace=node"
        )
    for name, count, nanoseconds in rows:
        yield str(name), int(count), nanoseconds / 1e6 if isinstance(nanoseconds, int | float) else math.nan


def _chrome(path: Path) -> Iterator[tuple[str, int, float]]:
    """Complete events (`ph` X, `dur` in microseconds) of category kernel."""
    counts: dict[str, int] = defaultdict(int)
    times: dict[str, float] = defaultdict(float)
    for event in _events(path):
        if isinstance(event, dict) and event.get("ph") == "X" and event.get("cat") in KERNEL_CATEGORIES:
            name, micros = event.get("name"), event.get("dur")
            if isinstance(name, str) and isinstance(micros, int | float) and not isinstance(micros, bool):
                counts[name] += 1
                times[name] += micros / 1000
    for name, count in counts.items():
        yield name, count, times[name]


def _events(path: Path) -> list[Any]:
    try:
        with gzip.open(path) if path.read_bytes()[:2] == b"\x1f\x8b" else path.open("rb") as source:
            piece = source.read(LARGEST_TRACE + 1)
        if len(piece) > LARGEST_TRACE:
            raise BadFileError(f"{str(path)!r} is larger than {LARGEST_TRACE} bytes; profile a shorter run")
        whole = json_of(piece)
    except (OSError, EOFError, ValueError) as error:
        if isinstance(error, BadFileError):
            raise
        raise BadFileError(f"{str(path)!r} is not a whole chrome trace ({error}); write it again") from error
    events = whole.get("traceEvents") if isinstance(whole, dict) else whole
    if not isinstance(events, list):
        raise BadFileError(f"{str(path)!r} has no list of events; is it a chrome trace?")
    return events
