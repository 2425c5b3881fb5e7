"""Kernels out of profiles: the SQLite export of Nsight Systems by its published tables, and chrome traces."""

import gzip
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from harness.analyses.attribution import Calls
from harness.vocabulary.base import BadFileError
from harness.workflow.profile_tables import read_profile


def export(path: Path, *kernels: tuple[str, int, int]) -> Path:
    """A file with the two tables that are read: (name, calls, nanoseconds a call)."""
    with closing(sqlite3.connect(path)) as written:
        written.execute("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT)")
        written.execute(
            "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, demangledName INT, shortName INT)"
        )
        for number, (name, calls, nanoseconds) in enumerate(kernels):
            written.execute("INSERT INTO StringIds VALUES (?, ?)", (number, name))
            rows = [(at, at + nanoseconds, number, number) for at in range(calls)]
            written.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, ?, ?)", rows)
        written.commit()
    return path


def test_processes_are_added_up(tmp_path: Path) -> None:
    one = export(tmp_path / "pid1.sqlite", ("gemv", 3, 2_000_000), ("norm", 1, 500_000))
    other = export(tmp_path / "pid2.sqlite", ("gemv", 3, 4_000_000))
    profile = read_profile((one, other), 3)
    assert profile.steps == 3
    assert profile.kernels == {"gemv": Calls(6, 18.0), "norm": Calls(1, 0.5)}


@pytest.mark.parametrize("packed", [False, True])
def test_chrome_traces_plain_and_packed(tmp_path: Path, packed: bool) -> None:
    events = [
        {"ph": "X", "cat": "kernel", "name": "gemv", "ts": 1, "dur": 2000},
        {"ph": "X", "cat": "kernel", "name": "gemv", "ts": 5, "dur": 1000.0},
        {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "ts": 1, "dur": 9},
        {"ph": "M", "name": "process_name"},
    ]
    text = json.dumps({"traceEvents": events}).encode()
    path = tmp_path / "trace.json"
    path.write_bytes(gzip.compress(text) if packed else text)
    assert read_profile([path], 1).kernels == {"gemv": Calls(2, 3.0)}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"not a profile", "neither an SQLite export"),
        (b"", "neither an SQLite export"),
        (b'{"traceEvents": [', "not a whole chrome trace"),
        (b'{"other": 1}', "no list of events"),
        (b"\x1f\x8bxx", "not a whole chrome trace"),
    ],
)
def test_files_that_are_no_profiles(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "odd"
    path.write_bytes(content)
    with pytest.raises(BadFileError, match=words):
        read_profile([path], 1)


def test_an_export_without_kernels_says_which_processes_to_profile(tmp_path: Path) -> None:
    path = tmp_path / "parent.sqlite"
    with closing(sqlite3.connect(path)) as written:
        written.execute("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT)")
    with pytest.raises(BadFileError, match="one file a process"):
        read_profile([path], 1)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadFileError, match=r"none\.sqlite"):
        read_profile([tmp_path / "none.sqlite"], 1)


@pytest.mark.parametrize(("micros", "said"), [("NaN", "a time of nan ms"), ("-5", "a time of -0.005 ms")])
def test_a_kernel_whose_time_is_none_is_refused(tmp_path: Path, micros: str, said: str) -> None:
    path = tmp_path / "trace.json"
    path.write_text(f'[{{"ph": "X", "cat": "kernel", "name": "gemv", "dur": {micros}}}]')
    with pytest.raises(BadFileError, match=said):
        read_profile([path], 1)


def test_an_export_without_times_or_with_whole_graphs_is_refused(tmp_path: Path) -> None:
    path = export(tmp_path / "pid1.sqlite", ("gemv", 1, 5))
    with closing(sqlite3.connect(path)) as changed:
        changed.execute("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = NULL")
        changed.commit()
        with pytest.raises(BadFileError, match="a time of nan ms"):
            read_profile([path], 1)
        changed.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INT, end INT)")
        changed.execute("INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (1, 2)")
        changed.commit()
    with pytest.raises(BadFileError, match="--cuda-graph-trace=node"):
        read_profile([path], 1)
