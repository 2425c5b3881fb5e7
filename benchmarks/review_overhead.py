"""What a review takes beyond its slowest reviewer: from the folder to the written brief, everything on disk.

`python -m benchmarks.review_overhead [--reviewers 8] [--rounds 20] [--delay-s 0.5]` prints a Markdown table. Every
reviewer answers after the same time, so the slowest one takes just that; the bare client makes the same calls at once.
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


async def reviews(folder: Path, given: argparse.Namespace, base_url: str) -> list[tuple[float, float, float]]:
    """Of each round, milliseconds beyond the delay: in all, before the first request, after the last answer."""
    config = settings(base_url, given.reviewers, given.reviewers)
    names, taken = write_proposals(folder, given.rounds + 1), list[tuple[float, float, float]]()
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
                began = time.perf_counter()
                result = await begin(desk, graph, name, Stage.BRIEF)
                ended = time.perf_counter()
                assert set(result.seats.values()) == {"complete"}, result
                parts = (ended - began - given.delay_s, asked[0] - began, ended - answered[-1])
                taken.append((parts[0] * MS, parts[1] * MS, parts[2] * MS))
    return taken


async def bare(folder: Path, given: argparse.Namespace, base_url: str) -> list[float]:
    """Milliseconds beyond the delay of the same calls at once with nothing around them."""
    config, names = settings(base_url, given.reviewers, given.reviewers), write_proposals(folder, 1)
    taken = []
    for _ in range(given.rounds + 1):
        began = time.perf_counter()
        await bare_client(config, names, folder)
        taken.append((time.perf_counter() - began - given.delay_s) * MS)
    return taken


def row(name: str, first: float, rest: list[float]) -> str:
    """The first round apart: it loads what is loaded late."""
    return f"| {name} | {median(rest):.0f} | {min(rest):.0f} to {max(rest):.0f} | {first:.0f} |"


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
    print("| beyond the slowest reviewer, ms | median | range | first round |")
    print("|---|---|---|---|")
    for number, name in enumerate(("review, in all", "... before the first request", "... after the last answer")):
        print(row(name, whole[0][number], [parts[number] for parts in whole[1:]]))
    print(row("bare openai client", alone[0], alone[1:]))


if __name__ == "__main__":
    main()
