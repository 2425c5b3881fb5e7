"""Many proposals at many reviewers against an instant local server, beside a bare openai client making the same calls.

`python -m benchmarks.review_throughput [--proposals N] [--reviewers R] [--repeats K]` prints one Markdown table. Every
proposal is a real folder, every entry is on disk before a branch goes on, and every brief is written. The bare client
sends the same prompts as often and keeps nothing; both have the same limit of calls at once and meet the same server.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from statistics import median

from benchmarks.review_clients import Took

PATIENCE_S = 3600


@contextmanager
def instant_server(delay_s: float = 0.0) -> Iterator[str]:
    """The base URL of a server process that answers after `delay_s`."""
    command = [sys.executable, "-m", "benchmarks.review_server", str(delay_s)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdin is not None
        try:
            yield f"http://127.0.0.1:{process.stdout.readline().strip()}/v1"
        finally:
            process.stdin.close()
            process.wait(10)


def one_round(client: str, given: argparse.Namespace, base_url: str) -> Took:
    """One client, in a process of its own, so that its peak of memory is its own."""
    with tempfile.TemporaryDirectory(prefix="review-throughput-") as folder:
        words = [client, folder, base_url, str(given.proposals), str(given.reviewers), str(given.at_once)]
        command = [sys.executable, "-m", "benchmarks.review_clients", *words]
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        if done.returncode:
            raise SystemExit(f"{client} failed:\n{done.stderr}")
        shutil.rmtree(folder, ignore_errors=True)
    return Took(**json.loads(done.stdout.splitlines()[-1]))


def row(name: str, rounds: list[Took]) -> str:
    """Medians over rounds; in brackets the lowest and the highest rate."""
    rates = [took.calls / took.wall_s for took in rounds]
    return (
        f"| {name} | {rounds[0].calls} | {median(rates):.0f} ({min(rates):.0f} to {max(rates):.0f}) | "
        f"{median(1000 * took.cpu_s / took.calls for took in rounds):.1f} | "
        f"{max(took.peak_mib for took in rounds):.0f} | {median(took.kept_mib for took in rounds):.0f} |"
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--proposals", type=int, default=1000)
    parser.add_argument("--reviewers", type=int, default=8)
    parser.add_argument("--at-once", type=int, default=64, help="calls at once, the limit of the endpoint")
    parser.add_argument("--repeats", type=int, default=1)
    given = parser.parse_args()
    took: dict[str, list[Took]] = {"committee": [], "bare": []}
    with instant_server() as base_url:
        for _ in range(given.repeats):  # alternating, so that both meet the same state of the machine
            for client, rounds in took.items():
                rounds.append(one_round(client, given, base_url))
    print("| client | calls | calls/s | CPU ms a call | peak MiB | kept on disk MiB |")
    print("|---|---|---|---|---|---|")
    print(row("`committee review`, everything durable", took["committee"]))
    print(row("openai client, keeps nothing", took["bare"]))
    print(json.dumps({client: [asdict(one) for one in rounds] for client, rounds in took.items()}), file=sys.stderr)


if __name__ == "__main__":
    main()
