"""Wrong words where arms that are FASTER leave their share of the level to the others, simulated.

Run it with `python -m benchmarks.decisions_shares`; it prints a Markdown table. Nothing is measured here. No arm is
given up in these runs: giving up would end most arms before a wrong word, and hide what the shares do.
"""

import argparse
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from benchmarks.decisions import shown
from benchmarks.looks_world import Case, Outcome, simulate

RUNS = 20_000
SPREADS_PCT = (1.0, 4.7)
# True changes of four arms: none; one to three that pass their share on at once or late; all with the same small gain,
# so that any may pass and any may seem slower; one of each kind.
TRUTHS_PCT = (
    (0.0, 0.0, 0.0, 0.0),
    (0.0, 0.0, 0.0, 6.0),
    (0.0, 0.0, 3.0, 3.0),
    (0.0, 3.0, 3.0, 3.0),
    (0.0, 6.0, 6.0, 6.0),
    (0.5, 0.5, 0.5, 0.5),
    (1.5, 1.5, 1.5, 1.5),
    (-3.0, 0.0, 3.0, 6.0),
)


@dataclass
class Wrong:
    """Runs with a wrong word of each kind, and runs in which a share was passed on."""

    runs: int = 0
    passed_on: int = 0
    faster: int = 0  # of an arm that is not faster
    slower: int = 0  # of an arm that is not slower

    def add(self, outcome: Outcome, change_pct: tuple[float, ...]) -> None:
        """Count one chunk. A void run says nothing about any arm."""
        truth = np.array(change_pct)
        words = np.where(outcome.void[:, np.newaxis], "VOID", outcome.words)
        self.runs += len(words)
        self.passed_on += int(((words == "FASTER").any(axis=1) & (words != "FASTER").any(axis=1)).sum())
        self.faster += int(((words == "FASTER") & (truth <= 0)).any(axis=1).sum())
        self.slower += int(((words == "SLOWER") & (truth >= 0)).any(axis=1).sum())


def wrong(case: Case, change_pct: tuple[float, ...], runs: int, seed: int) -> Wrong:
    """All runs of one case and one truth."""
    tally = Wrong()
    for _, outcome in simulate(case, change_pct, runs, seed):
        tally.add(outcome, change_pct)
    return tally


def table(runs: int, seed: int) -> Iterator[str]:
    """One row for each spread and truth."""
    yield "| sd % | true changes, % | a share passed on, % of runs | false FASTER a run | false SLOWER a run |"
    yield "|---|---|---|---|---|"
    for spread in SPREADS_PCT:
        for change in TRUTHS_PCT:
            tally = wrong(Case(len(change), spread, gives_up=False), change, runs, seed)
            cells = [shown(one, tally.runs) for one in (tally.faster, tally.slower)]
            named = ", ".join(f"{one:+g}" if one else "0" for one in change)
            yield f"| {spread:g} | {named} | {100 * tally.passed_on / tally.runs:.1f} | {' | '.join(cells)} |"


def main(arguments: list[str]) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=RUNS, help="simulated runs for each row")
    parser.add_argument("--seed", type=int, default=1, help="seed of the simulation")
    given = parser.parse_args(arguments)
    began = time.monotonic()
    for line in table(given.runs, given.seed):
        print(line, flush=True)
    print(f"\n{given.runs} runs a row, seed {given.seed}, {time.monotonic() - began:.0f} s.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
