"""How long the report takes over many verdicts: the site at first, unchanged, after one more run, and the one page.

`python -m benchmarks.report_scale --verdicts 10000`; `--keep FOLDER` keeps the made-up ledger and uses it again.
"""

import argparse
import random
import resource
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from os import getloadavg
from pathlib import Path
from time import perf_counter, process_time

from benchmarks.report_history import FLAGS, TARGETS, append_run, fill
from committee.report import build
from committee.report.site import Written, write_site
from committee.score.reviewer_pages import reviewer_contents
from ledger.entries import MeasuringRun, Verdict
from ledger.store import Ledger

MIB = 1 << 20


@dataclass(frozen=True)
class Took:
    """One step and what it took."""

    wall_s: float
    cpu_s: float


def timed(step: Callable[[], object]) -> tuple[Took, object]:
    """A step's times and its result."""
    wall, cpu = perf_counter(), process_time()
    result = step()
    return Took(perf_counter() - wall, process_time() - cpu), result


def main() -> None:
    """Make the ledger, then time the report over it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--verdicts", type=int, default=10_000)
    parser.add_argument("--keep", type=Path, help="folder whose ledger is used, and made where it is not there")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = given.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        with Ledger.open(folder / "records.db", actor="benchmark", create=True) as ledger:
            if ledger.head() is None:
                took, made = timed(lambda: fill(ledger, given.verdicts))
                say(f"made {made} in {took.wall_s:.0f} s")
            measure(ledger, Path(scratch) / "site")


def measure(ledger: Ledger, site: Path) -> None:
    """Print what each step takes."""
    head, verdicts = ledger.head(), len(ledger.of(Verdict))
    say(f"{verdicts} verdicts, {head.seq if head else 0} entries; load {getloadavg()[0]:.1f} at the start")
    for name, step in (
        ("site, first", lambda: write_site(ledger, site, more=reviewer_contents)),
        ("site, nothing changed", lambda: write_site(ledger, site, more=reviewer_contents)),
        ("one more run", lambda: one_more(ledger)),
        ("site, after one more run", lambda: write_site(ledger, site, more=reviewer_contents)),
        ("one page", lambda: f"{len(build(ledger).encode()) / MIB:.1f} MiB"),
    ):
        took, result = timed(step)
        told = f"{result.made} pages made, {result.kept} kept" if isinstance(result, Written) else result
        say(f"{name:26} {took.wall_s:6.2f} s wall {took.cpu_s:6.2f} s CPU  {told}")
    size = sum(file.stat().st_size for file in site.iterdir()) / MIB
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    files = len(list(site.iterdir()))
    say(f"site {size:.0f} MiB in {files} files; peak memory {peak:.0f} MiB; load {getloadavg()[0]:.1f} at the end")


def say(words: str) -> None:
    """One line, at once."""
    print(words, flush=True)


def one_more(ledger: Ledger) -> str:
    """One more measuring run, of a proposal that is there."""
    number = len(ledger.of(MeasuringRun)) + 1
    append_run(ledger, "0001-made-up", TARGETS[1], FLAGS[:4], number, random.Random(number))
    return f"measure-{number:06d}"


if __name__ == "__main__":
    main()
