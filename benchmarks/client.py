"""How well the timed client measures: `python -m benchmarks.client [--rivals FOLDER]` for docs/benchmarks.md.

A server in a process of its own, on a core of its own, knows when each request arrived and when each first token was
written; the client, on another core, must say the same. Other tools are run against the same server where
`python -m benchmarks.client_rivals FOLDER` has installed them.
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

from benchmarks.client_rivals import RIVALS, Load, Reported, Rival
from harness.client.load import percentile

SERVER_CORE, CLIENT_CORE = 1, 0
TTFT_MS, GAP_MS = 50, 10
# Streams at once and requests: short answers for the time to first token, long ones for the CPU of an event, so that
# opening a connection is not taken for the cost of events.
BIAS_TOKENS, BIAS_REQUESTS = 16, {1: 100, 4: 200, 8: 400, 64: 1600}
CPU_TOKENS, CPU_REQUESTS = 128, {8: 32, 128: 384}
FLOOD_STREAMS, FLOOD_TOKENS, FLOOD_REQUESTS = 32, 2000, 96
MOST_S = 600


@dataclass(frozen=True)
class Run:
    """One client against one server."""

    ttft_ms: dict[int, float]  # by request, as the client says
    truth_ms: dict[int, float]  # by request, as the server knows
    events: int
    wall_s: float
    cpu_s: float
    rss_mib: float

    @property
    def bias_ms(self) -> float:
        """What the client adds to the 99th percentile of the time to first token."""
        return percentile([*self.ttft_ms.values()], 0.99) - percentile([*self.truth_ms.values()], 0.99)

    @property
    def worst_ms(self) -> float:
        """99th percentile of what it adds to a single request."""
        shared = self.ttft_ms.keys() & self.truth_ms.keys()
        return percentile([self.ttft_ms[one] - self.truth_ms[one] for one in shared], 0.99)

    @property
    def cpu_us(self) -> float:
        """CPU for each event, microseconds."""
        return self.cpu_s / self.events * 1e6 if self.events else float("nan")


@contextmanager
def truth(ttft_ms: float = TTFT_MS, gap_ms: float = GAP_MS) -> Iterator[str]:
    """The server, as a process pinned to its core; gives its address."""
    command = [sys.executable, "-m", "benchmarks.client_truth", "--core", str(SERVER_CORE)]
    command += ["--ttft-ms", str(ttft_ms), "--gap-ms", str(gap_ms)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            yield f"http://127.0.0.1:{int(server.stdout.readline())}"
        finally:
            server.terminate()


def known(url: str) -> dict[int, float]:
    """Time to first token of every request since the last asking, milliseconds."""
    with urllib.request.urlopen(f"{url}/truth", timeout=30) as answer:  # noqa: S310 - our own server on loopback
        said = json.load(answer)
    return {int(one["id"]): (one["first"] - one["arrived"]) * 1000 for one in said}


def ours(url: str, transport: str, streams: int, requests: int, tokens: int) -> Run:
    """The product's client, or the same with another transport, in a process of its own on one core."""
    command = [sys.executable, "-m", "benchmarks.client_process", "--url", url, "--transport", transport]
    command += ["--streams", str(streams), "--requests", str(requests), "--tokens", str(tokens)]
    command += ["--core", str(CLIENT_CORE)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=MOST_S)
    said = json.loads(done.stdout)
    seen = {int(number): float(value) for number, value in said["ttft_ms"].items()}
    return Run(seen, known(url), said["events"], said["wall_s"], said["cpu_s"], said["rss_mib"])


def theirs(rival: Rival, folder: Path, load: Load) -> Run:
    """Another tool on the same core, as it reports itself; CPU is that of its processes, without what a start costs."""
    small: Reported | None = None
    if load.tokens > BIAS_TOKENS:
        with truth() as url:
            small = rival.run(folder, url, Load(load.streams, load.streams, load.tokens))
    with truth() as url:
        seen = rival.run(folder, url, load)
        real = known(url)
    events = (load.requests - (load.streams if small else 0)) * load.tokens
    cpu_s = seen.cpu_s - (small.cpu_s if small else 0.0)
    return Run(dict(enumerate(seen.ttft_ms)), real, events, seen.wall_s, cpu_s, seen.rss_mib)


def run(name: str, folder: Path, load: Load) -> Run:
    """One client at one load; a new server for each, so that nobody inherits a connection."""
    if name in RIVALS:
        return theirs(RIVALS[name], folder, load)
    with truth() as url:
        return ours(url, name, load.streams, load.requests, load.tokens)


def measured(names: Sequence[str], folder: Path) -> Iterator[tuple[str, str, int, float]]:
    """Client, what, streams, value: every client at every load, one by one; what fails is said and left out."""
    for name in names:
        for tokens, requests in ((BIAS_TOKENS, BIAS_REQUESTS), (CPU_TOKENS, CPU_REQUESTS)):
            for streams, count in requests.items():
                try:
                    one = run(name, folder, Load(streams, count, tokens))
                except (subprocess.SubprocessError, OSError, ValueError, KeyError) as error:
                    print(f"{name} at {streams} streams: {type(error).__name__}: {error}", flush=True)
                    continue
                if tokens == BIAS_TOKENS:
                    yield name, "bias of p99, ms", streams, one.bias_ms
                    if name not in RIVALS:  # others do not say which request was which
                        yield name, "p99 of one request's error, ms", streams, one.worst_ms
                else:
                    yield name, "CPU of an event, us", streams, one.cpu_us


def flood() -> tuple[float, float]:
    """Events a second on one core while the server writes as fast as it can, reading included; and CPU of each."""
    with truth(ttft_ms=1, gap_ms=0.001) as url:
        one = ours(url, "harness", FLOOD_STREAMS, FLOOD_REQUESTS, FLOOD_TOKENS)
    return one.events / one.wall_s, one.cpu_us


def started() -> tuple[float, float]:
    """Seconds from nothing to two answers and the end of the process, and its memory in MiB."""
    with truth(ttft_ms=0, gap_ms=0.001) as url:
        began = time.perf_counter()
        one = ours(url, "harness", 1, 1, BIAS_TOKENS)
        return time.perf_counter() - began, one.rss_mib


def table(rows: Sequence[tuple[str, str, int, float]], names: Sequence[str]) -> str:
    """All values as Markdown."""
    lines = [f"| | streams | {' | '.join(names)} |", "|" + "---|" * (len(names) + 2)]
    for what, streams in sorted({(what, streams) for _, what, streams, _ in rows}):
        values = {name: value for name, said, at, value in rows if (said, at) == (what, streams)}
        cells = [f"{values[name]:.2f}" if name in values else "-" for name in names]
        lines.append(f"| {what} | {streams} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--rivals", type=Path, default=Path("build/client-rivals"), help="where client_rivals installed"
    )
    parser.add_argument("--only", action="append", choices=["harness", "httpx", *RIVALS], help="repeat for more")
    given = parser.parse_args(argv)
    if (os.cpu_count() or 1) < 2:
        raise SystemExit("this needs two cores: one for the server that knows the truth, one for the client")
    there = [name for name, rival in RIVALS.items() if rival.installed(given.rivals)]
    names = given.only or ["harness", "httpx", *there]
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.2f} at the start, one core each", flush=True)
    rows: list[tuple[str, str, int, float]] = []
    for row in measured(names, given.rivals):
        rows.append(row)
        print("{}: {} at {} streams: {:.2f}".format(*row), flush=True)
    if "harness" in names:
        start_s, rss_mib = started()
        rate, cpu_us = flood()
        print(f"{rate:,.0f} events a second on one core, {cpu_us:.1f} us each, reading included")
        print(f"from nothing to the end of a second answer {start_s:.2f} s, memory {rss_mib:.0f} MiB")
    print(f"load {os.getloadavg()[0]:.2f} at the end\n\n{table(rows, names)}")


if __name__ == "__main__":
    main()
