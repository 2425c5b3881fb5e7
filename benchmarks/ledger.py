"""How fast the ledger writes and verifies: `python -m benchmarks.ledger write|verify` prints the tables of the docs.

`write` puts batches of 50 on the disk, beside a bare SQLite file and two other programs; `verify` checks a long ledger.
"""

import argparse
import json
import os
import resource
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from benchmarks.ledger_mix import mixture
from benchmarks.ledger_rivals import RIVALS, Written, install, versions, write
from ledger.chain import payload_bytes
from ledger.store import Ledger
from ledger.verify import verify

BATCH, ENTRIES, ROUNDS = 50, 5000, 5
BUILD_BATCH = 5000  # entries in a transaction while a long ledger is made, which is not what is measured
FSYNCS = 50


def ours(folder: Path, count: int) -> Written:
    """Entries of the mixture through the ledger's own front door."""
    payloads = list(mixture(count))
    with Ledger.open(folder / "records.db", actor="bench", create=True) as ledger:
        begin, cpu = time.perf_counter(), time.process_time()
        for first in range(0, count, BATCH):
            ledger.append_all(payloads[first : first + BATCH])
        return Written(count, time.perf_counter() - begin, time.process_time() - cpu)


def kept(folder: Path, count: int) -> Written:
    """The same while the ledger is kept open, as commands keep it that write much."""
    payloads = list(mixture(count))
    with Ledger.open(folder / "kept.db", actor="bench", create=True) as ledger, ledger.kept_open():
        begin, cpu = time.perf_counter(), time.process_time()
        for first in range(0, count, BATCH):
            ledger.append_all(payloads[first : first + BATCH])
        return Written(count, time.perf_counter() - begin, time.process_time() - cpu)


def bare(folder: Path, count: int) -> Written:
    """The same payload bytes into one table without any guarantee but durability: the floor."""
    rows = [(number, payload_bytes(payload)) for number, payload in enumerate(mixture(count))]
    with closing(sqlite3.connect(folder / "bare.db", isolation_level=None)) as plain:
        plain.execute("PRAGMA journal_mode=WAL")
        plain.execute("PRAGMA synchronous=FULL")
        plain.execute("CREATE TABLE entry (seq INTEGER PRIMARY KEY, payload BLOB)")
        begin, cpu = time.perf_counter(), time.process_time()
        for first in range(0, count, BATCH):
            plain.execute("BEGIN IMMEDIATE")
            plain.executemany("INSERT INTO entry VALUES (?, ?)", rows[first : first + BATCH])
            plain.execute("COMMIT")
        return Written(count, time.perf_counter() - begin, time.process_time() - cpu)


def fsync_ms(folder: Path) -> float:
    """Median time of an fsync of 4 KiB on this disk."""
    taken = []
    with (folder / "fsync").open("wb") as out:
        for _number in range(FSYNCS):
            out.write(bytes(4096))
            out.flush()
            begin = time.perf_counter()
            os.fsync(out.fileno())
            taken.append((time.perf_counter() - begin) * 1e3)
    return statistics.median(taken)


def write_command(rounds: int, rivals: Path | None) -> None:
    """Rounds in turn, so that a busy minute falls on all of them."""
    contenders = {"ledger": ours, "ledger, kept open": kept, "bare SQLite, same bytes, no chain": bare}
    found: dict[str, list[Written]] = {name: [] for name in contenders}
    place = (rivals or Path()).absolute()
    ready = [one for one in RIVALS if rivals and not _said(one.name, install(one, place))]
    fsyncs: list[float] = []
    for _round in range(rounds):
        with tempfile.TemporaryDirectory(prefix="ledger-bench-") as name:
            folder = Path(name)
            fsyncs.append(fsync_ms(folder))
            for contender, run in contenders.items():
                found[contender].append(run(folder, ENTRIES))
            for number, rival in enumerate(ready):
                outcome = write(rival, place, folder / str(number), ENTRIES // 5, BATCH)
                if isinstance(outcome, str):
                    _said(rival.name, outcome)
                else:
                    found.setdefault(f"{versions(rival, Path(str(rivals)).absolute())}: {rival.record}", []).append(
                        outcome
                    )
            fsyncs.append(fsync_ms(folder))
    fsync = statistics.median(fsyncs)
    spread = f"{min(fsyncs):.1f} - {max(fsyncs):.1f}"
    print(f"batches of {BATCH}, {rounds} rounds, {_machine()}, an fsync of 4 KiB {fsync:.2f} ms ({spread})")
    print("\n| what | records/s, median | lowest - highest | a batch, in fsyncs of this run | CPU us a record |")
    print("|---|---|---|---|---|")
    for name, runs in found.items():
        rates = sorted(one.records / one.wall_s for one in runs)
        cpu = statistics.median(one.cpu_s / one.records * 1e6 for one in runs)
        middle = statistics.median(rates)
        ratio = BATCH / middle * 1e3 / fsync
        print(f"| {name} | {middle:,.0f} | {rates[0]:,.0f} - {rates[-1]:,.0f} | {ratio:.1f} | {cpu:,.0f} |")


def _machine() -> str:
    return f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"


def _said(name: str, why: str) -> str:
    if why:
        print(f"{name} is left out: {why}", file=sys.stderr)
    return why


def build(path: Path, entries: int) -> None:
    """A long ledger of the mixture."""
    with Ledger.open(path, actor="bench", create=True) as ledger:
        for first in range(0, entries, BUILD_BATCH):
            ledger.append_all(list(mixture(min(BUILD_BATCH, entries - first), first)))


def verify_once(path: Path) -> dict[str, float]:
    """One verification in this process: time, CPU of all processes, and the sum of their largest sizes."""
    begin = time.perf_counter()
    outcome = verify(path)
    wall_s = time.perf_counter() - begin
    own, others = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    processes = min(2, len(os.sched_getaffinity(0)) - 1)
    rss_mb = (own.ru_maxrss + processes * others.ru_maxrss) / 1024
    cpu_s = own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime
    return {"ok": outcome.ok, "entries": outcome.entries, "wall_s": wall_s, "cpu_s": cpu_s, "rss_mb": rss_mb}


def verify_command(path: Path | None, entries: int, rounds: int) -> None:
    """Each round in a fresh process."""
    with tempfile.TemporaryDirectory(prefix="ledger-bench-") as name:
        place = path or Path(name) / "records.db"
        if not place.exists():
            build(place, entries)
        argv = [sys.executable, "-m", __spec__.name, "verify-once", "--file", str(place)]
        runs = [json.loads(subprocess.run(argv, check=True, capture_output=True).stdout) for _round in range(rounds)]
        size_mb = place.stat().st_size / 1e6
    print(
        f"{runs[0]['entries']:,} entries, {size_mb:,.0f} MB, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores\n"
    )
    print(
        "| whole | wall s, median | lowest - highest | CPU s, all processes | memory MB, all processes |\n"
        "|---|---|---|---|---|"
    )
    walls = sorted(one["wall_s"] for one in runs)
    cpu, rss = statistics.median(one["cpu_s"] for one in runs), max(one["rss_mb"] for one in runs)
    whole = all(one["ok"] for one in runs)
    print(f"| {whole} | {statistics.median(walls):.1f} | {walls[0]:.1f} - {walls[-1]:.1f} | {cpu:.1f} | {rss:.0f} |")


def main(argv: Sequence[str] | None = None) -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("write", "verify", "verify-once"))
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--entries", type=int, default=1_000_000)
    parser.add_argument("--file", type=Path, help="verify: a ledger, made and kept there if there is none")
    parser.add_argument("--rivals", type=Path, help="write: a folder for the other programs' environments")
    given = parser.parse_args(argv)
    if given.what == "write":
        write_command(given.rounds, given.rivals)
    elif given.what == "verify":
        verify_command(given.file, given.entries, given.rounds)
    else:
        print(json.dumps(verify_once(given.file)))


if __name__ == "__main__":
    main()
