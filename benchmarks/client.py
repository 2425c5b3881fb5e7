"""How well the timed client measures: `python -m benchmarks.client [--rivals FOLDER]` for docs/benchmarks.md.

A server in a process of its own, on a core of its own, knows when each request arrived and when each first token was
written; the client, on another core, must say the same. Requests during which either was kept waiting for its core are
counted and left out (`client_quiet.py`), so that a busy machine shows as fewer requests and not as a slow client. Other
tools are run against the same server where `python -m benchmarks.client_rivals FOLDER` has installed them.
"""

import argparse
import json
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benchmarks.client_process import TRANSPORTS
from benchmarks.client_quiet import Watch
from benchmarks.client_rivals import RIVALS, Load, Reported, Rival
from harness.client.load import percentile

SERVER_CORE, CLIENT_CORE = 1, 0
TTFT_MS, GAP_MS = 50, 10
# Streams at once and requests of one repeat: short answers for the time to first token, long ones for the CPU of an
# event, so that opening a connection is not taken for the cost of events.
BIAS_TOKENS, BIAS_REQUESTS = 6, {1: 50, 4: 120, 8: 240, 64: 960}
CPU_TOKENS, CPU_REQUESTS = 128, {8: 16, 128: 256}
FLOOD_STREAMS, FLOOD_TOKENS, FLOOD_REQUESTS = 32, 2000, 64
REPEATS = 3
WANTED_MS = {1: 1.0, 4: 1.0, 8: 1.0, 64: 5.0}  # bias at p99, by streams
# Part of the wanted bias that both processes together may be kept waiting for a core where it could be taken for the
# client's: between its sending and the request's arrival, and between the token's writing and its own stamp.
WAIT_SHARE = 0.2
FEW_REQUESTS = 20  # fewer undisturbed ones have no 99th percentile worth a word
MOST_S = 600
QUIET, ALL = "bias of p99, undisturbed, ms", "bias of p99, all requests, ms"
WORST, KEPT = "p99 of one undisturbed request's error, ms", "requests undisturbed, %"
CPU, WAITED = "CPU of an event, us", "waiting for a core while that was measured, %"


@dataclass(frozen=True)
class Server:
    """The server that knows the truth."""

    url: str
    pid: int


@dataclass(frozen=True)
class Run:
    """One client against one server."""

    ttft_ms: dict[int, float]  # by request, as the client says
    truth_ms: dict[int, float]  # by request, as the server knows
    events: int
    wall_s: float
    cpu_s: float
    rss_mib: float
    quiet: frozenset[int] = frozenset()  # requests during which nobody was kept from a core
    waited_share: float = 0.0  # time that client and server waited for a core, of the whole

    def bias_ms(self, quiet: bool = False) -> float:
        """What the client adds to the 99th percentile of the time to first token."""
        mine, true = (
            [v for k, v in one.items() if k in self.quiet or not quiet] for one in (self.ttft_ms, self.truth_ms)
        )
        return percentile(mine, 0.99) - percentile(true, 0.99)

    @property
    def worst_ms(self) -> float:
        """99th percentile of what it adds to a single undisturbed request."""
        return percentile([self.ttft_ms[one] - self.truth_ms[one] for one in self.quiet], 0.99)

    @property
    def cpu_us(self) -> float:
        """CPU for each event, microseconds."""
        return self.cpu_s / self.events * 1e6 if self.events else float("nan")


@dataclass(frozen=True)
class Row:
    """One number of one client."""

    client: str
    what: str
    streams: int
    value: float


@contextmanager
def truth(ttft_ms: float = TTFT_MS, gap_ms: float = GAP_MS) -> Iterator[Server]:
    """The server, as a process pinned to its core."""
    command = [sys.executable, "-m", "benchmarks.client_truth", "--core", str(SERVER_CORE)]
    command += ["--ttft-ms", str(ttft_ms), "--gap-ms", str(gap_ms)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            yield Server(f"http://127.0.0.1:{int(server.stdout.readline())}", server.pid)
        finally:
            server.terminate()


def known(url: str) -> dict[int, tuple[float, float]]:
    """Arrival and first token of every request since the last asking, seconds of time.perf_counter."""
    with urllib.request.urlopen(f"{url}/truth", timeout=30) as answer:  # noqa: S310 - our own server on loopback
        said = json.load(answer)
    return {int(one["id"]): (one["arrived"], one["first"]) for one in said}


def milliseconds(times: dict[int, tuple[float, float]]) -> dict[int, float]:
    """From arrival to first token."""
    return {number: (first - arrived) * 1000 for number, (arrived, first) in times.items()}


def ours(server: Server, transport: str, load: Load) -> Run:
    """The product's client, or the same with another transport, in a process of its own on one core."""
    command = [sys.executable, "-m", "benchmarks.client_process", "--url", server.url, "--transport", transport]
    command += ["--streams", str(load.streams), "--requests", str(load.requests), "--tokens", str(load.tokens)]
    command += ["--core", str(CLIENT_CORE)]
    client = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    with client, Watch((server.pid, client.pid)) as watch:
        out, _ = client.communicate(timeout=MOST_S)
    if client.returncode != 0:
        raise subprocess.CalledProcessError(client.returncode, command)
    said = json.loads(out)
    seen = {int(number): float(value) for number, value in said["ttft_ms"].items()}
    times = known(server.url)
    times = {
        number: times[number] for number in seen
    }  # the first request, which loads what is loaded late, is not meant
    around = {int(number): (sent, first) for number, (sent, first) in said["open"].items()}
    most_wait_s = WAIT_SHARE * WANTED_MS.get(load.streams, 1.0) / 1000
    quiet = frozenset(
        number
        for number, (sent, first) in around.items()
        if watch.quiet(sent, times[number][0], most_wait_s) and watch.quiet(times[number][1], first, most_wait_s)
    )
    load_now = (said["events"], said["wall_s"], said["cpu_s"], said["rss_mib"])
    return Run(seen, milliseconds(times), *load_now, quiet, watch.share)


def theirs(rival: Rival, folder: Path, load: Load) -> Run:
    """Another tool on the same core, as it reports itself; CPU is that of its processes, without what a start costs."""
    small: Reported | None = None
    if load.tokens > BIAS_TOKENS:
        with truth() as server:
            small = rival.run(folder, server.url, Load(load.streams, load.streams, load.tokens))
    with truth() as server:
        seen = rival.run(folder, server.url, load)
        real = known(server.url)
    events = (load.requests - (load.streams if small else 0)) * load.tokens
    cpu_s = seen.cpu_s - (small.cpu_s if small else 0.0)
    return Run(dict(enumerate(seen.ttft_ms)), milliseconds(real), events, seen.wall_s, cpu_s, seen.rss_mib)


def run(name: str, folder: Path, load: Load) -> Run:
    """One client at one load; a new server for each, so that nobody inherits a connection."""
    if name in RIVALS:
        return theirs(RIVALS[name], folder, load)
    with truth() as server:
        return ours(server, name, load)


def rows_of(name: str, load: Load, one: Run) -> Iterator[Row]:
    """The numbers of one run."""
    if load.tokens == CPU_TOKENS:
        yield Row(name, CPU, load.streams, one.cpu_us)
        if name not in RIVALS:
            yield Row(name, WAITED, load.streams, 100 * one.waited_share)
        return
    yield Row(name, ALL, load.streams, one.bias_ms())
    if name in RIVALS:  # others do not say which request was which, nor when
        return
    yield Row(name, KEPT, load.streams, 100 * len(one.quiet) / max(1, len(one.ttft_ms)))
    if len(one.quiet) >= FEW_REQUESTS:
        yield Row(name, QUIET, load.streams, one.bias_ms(quiet=True))
        yield Row(name, WORST, load.streams, one.worst_ms)


def loads(what: Sequence[str], streams: Sequence[int]) -> list[Load]:
    """The loads that are asked for; no number of streams means all."""
    bias = [Load(streams, count, BIAS_TOKENS) for streams, count in BIAS_REQUESTS.items()]
    cpu = [Load(streams, count, CPU_TOKENS) for streams, count in CPU_REQUESTS.items()]
    asked = (bias if "bias" in what else []) + (cpu if "cpu" in what else [])
    return [load for load in asked if load.streams in streams or not streams]


def measured(names: Sequence[str], folder: Path, repeats: int, asked: Sequence[Load]) -> Iterator[Row]:
    """Every client at every load, interleaved: all of them once, then again. What fails is said and left out."""
    for _ in range(repeats):
        for load in asked:
            for name in names:
                try:
                    yield from rows_of(name, load, run(name, folder, load))
                except (subprocess.SubprocessError, OSError, ValueError, KeyError) as error:
                    print(f"{name} at {load.streams} streams: {type(error).__name__}: {error}", flush=True)


def flood() -> tuple[float, float]:
    """Events a second on one core while the server writes as fast as it can, reading included; and CPU of each."""
    with truth(ttft_ms=1, gap_ms=0.001) as server:
        one = ours(server, "harness", Load(FLOOD_STREAMS, FLOOD_REQUESTS, FLOOD_TOKENS))
    return one.events / one.wall_s, one.cpu_us


def started() -> tuple[float, float]:
    """Seconds from nothing to two answers and the end of the process, and its memory in MiB."""
    with truth(ttft_ms=0, gap_ms=0.001) as server:
        began = time.perf_counter()
        one = ours(server, "harness", Load(1, 1, BIAS_TOKENS))
        return time.perf_counter() - began, one.rss_mib


def cell(values: Sequence[float]) -> str:
    """Median and, of several, their span."""
    if not values:
        return "-"
    said = f"{median(values):.2f}"
    return said if len(values) == 1 else f"{said} ({min(values):.2f} to {max(values):.2f})"


def table(rows: Sequence[Row], names: Sequence[str]) -> str:
    """All values as Markdown: the median of the repeats and their span."""
    lines = [f"| | streams | {' | '.join(names)} |", "|" + "---|" * (len(names) + 2)]
    for what in (QUIET, ALL, WORST, KEPT, CPU, WAITED):
        for streams in sorted({row.streams for row in rows if row.what == what}):
            here = [row for row in rows if (row.what, row.streams) == (what, streams)]
            cells = [cell([row.value for row in here if row.client == name]) for name in names]
            lines.append(f"| {what} | {streams} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--rivals", type=Path, default=Path("build/client-rivals"), help="where client_rivals installed"
    )
    parser.add_argument("--only", action="append", choices=[*TRANSPORTS, *RIVALS], help="repeat for more")
    parser.add_argument("--what", choices=["bias", "cpu", "rest"], action="append", help="repeat for more")
    parser.add_argument("--streams", type=int, action="append", default=[], help="only with so many; repeat for more")
    parser.add_argument("--repeats", type=int, default=REPEATS, help="how often each is measured, interleaved")
    given = parser.parse_args(argv)
    if (os.cpu_count() or 1) < 2:
        raise SystemExit("this needs two cores: one for the server that knows the truth, one for the client")
    there = [name for name, rival in RIVALS.items() if rival.installed(given.rivals)]
    names = given.only or [*TRANSPORTS, *there]
    what = given.what or ["bias", "cpu", "rest"]
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.2f} at the start, one core each", flush=True)
    began, rows = time.monotonic(), list[Row]()
    for row in measured(names, given.rivals, given.repeats, loads(what, given.streams)):
        rows.append(row)
        print(f"{row.client}: {row.what} at {row.streams} streams: {row.value:.2f}", flush=True)
    if "harness" in names and "rest" in what:
        rates, starts = ([one() for _ in range(given.repeats)] for one in (flood, started))
        print(f"events a second on one core, reading included: {cell([rate for rate, _ in rates])}")
        print(f"CPU of each of them, us: {cell([cpu_us for _, cpu_us in rates])}")
        print(f"seconds from nothing to the end of a second answer: {cell([start_s for start_s, _ in starts])}")
        print(f"memory, MiB: {cell([rss_mib for _, rss_mib in starts])}")
    print(f"load {os.getloadavg()[0]:.2f} at the end, {time.monotonic() - began:.0f} s\n\n{table(rows, names)}")


if __name__ == "__main__":
    main()
