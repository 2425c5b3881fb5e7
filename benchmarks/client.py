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

from benchmarks.client_rivals import RIVALS, Rival
from harness.client.load import percentile

SERVER_CORE, CLIENT_CORE = 1, 0
BIAS_STREAMS = (1, 4, 8, 64)
CPU_STREAMS = (8, 128)
TOKENS = 16
REQUESTS = {1: 200, 4: 400, 8: 800, 64: 3200, 128: 3200}
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
    note: str = ""

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
def truth(ttft_ms: float, gap_ms: float) -> Iterator[str]:
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


def ours(url: str, transport: str, streams: int, requests: int, tokens: int = TOKENS) -> Run:
    """The product's client, or the same with another transport, in a process of its own on one core."""
    command = [sys.executable, "-m", "benchmarks.client_process", "--url", url, "--transport", transport]
    command += ["--streams", str(streams), "--requests", str(requests), "--tokens", str(tokens)]
    command += ["--core", str(CLIENT_CORE)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=MOST_S)
    said = json.loads(done.stdout)
    seen = {int(number): float(value) for number, value in said["ttft_ms"].items()}
    bound = {True: "client-bound", False: "", None: ""}[said.get("load", {}).get("bound")]
    return Run(seen, known(url), said["events"], said["wall_s"], said["cpu_s"], said["rss_mib"], bound)


def theirs(rival: Rival, folder: Path, url: str, streams: int, requests: int) -> Run:
    """Another tool on the same core, as it reports itself; CPU is that of its processes, without what a start costs."""
    known(url)
    small = rival.run(folder, url, streams, max(streams, requests // 10), TOKENS)
    known(url)
    seen = rival.run(folder, url, streams, requests, TOKENS)
    events = (seen.requests - small.requests) * TOKENS
    numbered = dict(enumerate(seen.ttft_ms))
    return Run(numbered, known(url), events, seen.wall_s, seen.cpu_s - small.cpu_s, seen.rss_mib)


def clients(folder: Path | None) -> dict[str, Rival | None]:
    """Who is measured: a rival, or none for what runs in `client_process`."""
    there = {name: rival for name, rival in RIVALS.items() if folder and rival.installed(folder)}
    return {"harness": None, "httpx": None, **there}


def run(name: str, rival: Rival | None, folder: Path | None, url: str, streams: int) -> Run:
    """One client at one load; a new server for each, so that nobody inherits a connection."""
    requests = REQUESTS[streams]
    if rival is None or folder is None:
        return ours(url, name, streams, requests)
    return theirs(rival, folder, url, streams, requests)


def paced(folder: Path | None) -> dict[str, dict[int, Run]]:
    """Every client at every load, one after the other."""
    found: dict[str, dict[int, Run]] = {}
    for name, rival in clients(folder).items():
        for streams in sorted({*BIAS_STREAMS, *CPU_STREAMS}):
            with truth(ttft_ms=50, gap_ms=10) as url:
                try:
                    one = run(name, rival, folder, url, streams)
                except (subprocess.SubprocessError, OSError, ValueError, KeyError) as error:
                    print(f"{name} at {streams} streams: {type(error).__name__}: {error}", flush=True)
                    continue
            found.setdefault(name, {})[streams] = one
            said = f"bias {one.bias_ms:.2f} ms, a request {one.worst_ms:.2f} ms, {one.cpu_us:.1f} us an event"
            print(f"{name} at {streams} streams: {said} {one.note}", flush=True)
    return found


def flood() -> tuple[float, float]:
    """Events a second on one core while the server writes as fast as it can, reading included; and CPU of each."""
    with truth(ttft_ms=1, gap_ms=0.001) as url:
        one = ours(url, "harness", FLOOD_STREAMS, FLOOD_REQUESTS, FLOOD_TOKENS)
    return one.events / one.wall_s, one.cpu_us


def started() -> tuple[float, float]:
    """Seconds from nothing to two answers and the end of the process, and its memory in MiB."""
    with truth(ttft_ms=0, gap_ms=0.001) as url:
        began = time.perf_counter()
        one = ours(url, "harness", 1, 1)
        return time.perf_counter() - began, one.rss_mib


def tables(found: dict[str, dict[int, Run]]) -> str:
    """The runs as Markdown: bias of the time to first token at p99 in ms, then CPU of an event in microseconds."""
    lines: list[str] = []
    for what, form in (("bias_ms", "+.2f"), ("worst_ms", "+.2f"), ("cpu_us", ".0f")):
        lines += [f"| {what} | {' | '.join(found)} |", "|" + "---|" * (len(found) + 1)]
        for streams in sorted({*BIAS_STREAMS, *CPU_STREAMS}):
            cells = [_cell(runs.get(streams), what, form) for runs in found.values()]
            lines.append(f"| {streams} streams | {' | '.join(cells)} |")
        lines.append("")
    return "\n".join(lines)


def _cell(one: Run | None, what: str, form: str) -> str:
    return "-" if one is None else format(getattr(one, what), form)


def main(argv: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rivals", type=Path, default=None, help="folder in which client_rivals installed other tools")
    given = parser.parse_args(argv)
    if (os.cpu_count() or 1) < 2:
        raise SystemExit("this needs two cores: one for the server that knows the truth, one for the client")
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.2f}, one core each", flush=True)
    found = paced(given.rivals)
    rate, cpu_us = flood()
    start_s, rss_mib = started()
    print(tables(found))
    print(f"\n{rate:,.0f} events a second on one core, {cpu_us:.1f} us each, reading included")
    print(f"start to the end of a second answer {start_s:.2f} s, memory {rss_mib:.0f} MiB")


if __name__ == "__main__":
    main()
