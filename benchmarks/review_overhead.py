"""What a review takes beyond its slowest reviewer: from the folder to the written brief, everything on disk.

`python -m benchmarks.review_overhead [--reviewers 8] [--rounds 20] [--delay-s 0.5]` prints a Markdown table. Every
reviewer answers after the same time, so the slowest one takes just that; the bare client makes the same calls at once.
The last column is processor time of this process a round, which does not hang on what else the machine does.
"""

import argparse
import asyncio
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from statistics import median

from benchmarks.review_clients import bare_client, desk_of, settings, write_proposals
from benchmarks.review_throughput import instant_server
from committee.review.progress import ReviewerEvent, SeatState
from committee.workflow.graph import begin, opened
from committee.workflow.state import Stage
from ledger.store import Ledger

MS = 1000.0


async def reviews(folder: Path, given: argparse.Namespace, base_url: str) -> list[tuple[float, float, float, float]]:
    """Of each round, milliseconds beyond the delay: in all, before the first request, after the last answer, CPU."""
    config = settings(base_url, given.reviewers, given.reviewers)
    names, taken = write_proposals(folder, given.rounds + 1), list[tuple[float, float, float, float]]()
    asked, answered = list[float](), list[float]()

    def watch(event: ReviewerEvent) -> None:
        times = {SeatState.ASKED: asked, SeatState.ANSWERED: answered}.get(event.state)
        if times is not None:
            times.append(time.perf_counter())

    with Ledger.open(folder / "records.db", actor="benchmark", create=True) as ledger:
        desk = replace(desk_of(folder, config, ledger), watch=watch)
        async with opened(desk) as graph:
            for name in names:
                asked.clear()
                answered.clear()
                began, busy = time.perf_counter(), time.process_time()
                result = await begin(desk, graph, name, Stage.BRIEF)
                ended = time.perf_counter()
                assert set(result.seats.values()) == {"complete"}, result
                busy = time.process_time() - busy
                parts = (ended - began - given.delay_s, asked[0] - began, ended - answered[-1])
                taken.append((parts[0] * MS, parts[1] * MS, parts[2] * MS, busy * MS))
    return taken


async def bare(folder: Path, given: argparse.Namespace, base_url: str) -> list[tuple[float, float]]:
    """Milliseconds beyond the delay, and of CPU, of the same calls at once with nothing around them."""
    config, names = settings(base_url, given.reviewers, given.reviewers), write_proposals(folder, 1)
    taken = []
    for _ in range(given.rounds + 1):
        began, busy = time.perf_counter(), time.process_time()
        await bare_client(config, names, folder)
        taken.append(((time.perf_counter() - began - given.delay_s) * MS, (time.process_time() - busy) * MS))
    return taken


def row(name: str, taken: list[float], busy: list[float] | None = None) -> str:
    """The first round apart: it loads what is loaded late."""
    first, *rest = taken
    cpu = f"{median(busy[1:]):.0f}" if busy else ""
    return f"| {name} | {median(rest):.0f} | {min(rest):.0f} to {max(rest):.0f} | {first:.0f} | {cpu} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reviewers", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--delay-s", type=float, default=0.5)
    given = parser.parse_args()
    with instant_server(given.delay_s) as base_url, tempfile.TemporaryDirectory(prefix="review-overhead-") as place:
        folders = [Path(place, name) for name in ("bare", "committee")]
        alone = asyncio.run(bare(folders[0], given, base_url))
        whole = asyncio.run(reviews(folders[1], given, base_url))
    print("| beyond the slowest reviewer, ms | median | range | first round | CPU ms a round |")
    print("|---|---|---|---|---|")
    parts = [list(part) for part in zip(*whole, strict=True)]
    print(row("review, in all", parts[0], parts[3]))
    print(row("... before the first request", parts[1]))
    print(row("... after the last answer", parts[2]))
    print(row("bare openai client", [one for one, _ in alone], [cpu for _, cpu in alone]))


if __name__ == "__main__":
    main()
