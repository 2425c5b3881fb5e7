"""How runs with looks decide, simulated: errors, power, launches, intervals after stopping, beside two rules in use.

Run it with `python -m benchmarks.decisions_looks`; it prints Markdown tables. Nothing is measured here.
"""

import argparse
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.decisions import shown
from benchmarks.looks_world import LEVEL, PLANNED_EFFECT_PCT, Case, Outcome, simulate

RUNS = 20_000  # 1,000 runs cannot show "at most 1 %"; 20,000 can
START_MINUTES = 10  # of the server that hours are counted for; the protocol's own minutes come on top
SPREADS_PCT = (1.0, 4.7, 8.0)
TRUTHS_PCT = (0.0, 1.5, 3.0, 6.0)  # at which the intervals are checked
FIRST_CASES = tuple(Case(1, spread) for spread in SPREADS_PCT)
CASES = (
    *FIRST_CASES,
    *(Case(4, spread) for spread in SPREADS_PCT),
    *(Case(4, spread, keep=2) for spread in SPREADS_PCT),
)


@dataclass
class Tally:
    """What many runs of one case came to."""

    runs: int = 0
    false_or_true_faster: int = 0  # runs with any arm FASTER
    faster_arms: int = 0
    first_arm_faster: int = 0
    slower: int = 0
    same: int = 0
    futile_arms: int = 0
    void: int = 0
    launches: int = 0
    most_launches: int = 0
    bounds: int = 0
    low_missed: int = 0
    high_missed: int = 0
    stated: float = 0.0  # sum of the levels of the bounds
    seen_gain: float = 0.0  # sum of the estimates of FASTER arms, log scale
    once_above_two: int = 0
    hyperloom: int = 0

    def add(self, logs: NDArray[np.float64], outcome: Outcome, effects: NDArray[np.float64]) -> None:
        """Count one chunk. A void run says nothing about any arm."""
        words = np.where(outcome.void[:, np.newaxis], "VOID", outcome.words)
        faster = words == "FASTER"
        self.runs += len(words)
        self.false_or_true_faster += int(faster.any(axis=1).sum())
        self.faster_arms += int(faster.sum())
        self.first_arm_faster += int(faster[:, 0].sum())
        self.slower += int((words == "SLOWER").any(axis=1).sum())
        self.same += int((words == "SAME").any(axis=1).sum())
        self.futile_arms += int((outcome.futile & (words == "AMBIGUOUS")).sum())
        self.void += int(outcome.void.sum())
        self.launches += int(outcome.launches.sum())
        self.most_launches = max(self.most_launches, int(outcome.launches.max()))
        known = np.isfinite(outcome.low)
        self.bounds += int(known.sum())
        self.low_missed += int((outcome.low > effects)[known].sum())
        self.high_missed += int((outcome.high < effects)[known].sum())
        self.stated += float(outcome.stated[known].sum())
        self.seen_gain += float(((outcome.low + outcome.high) / 2)[faster].sum())
        self._rules(logs)

    def _rules(self, logs: NDArray[np.float64]) -> None:
        """Two rules in use on the same launches: the first block alone; all blocks but the last, and then the last."""
        ratios = np.exp(logs[..., 2:] - logs[..., :1])
        self.once_above_two += int((ratios[:, 0] > 1.02).any(axis=1).sum())
        number = ratios.shape[1] - 1
        mean = np.exp(logs[:, :-1, 2:]).mean(axis=1) / np.exp(logs[:, :-1, :1]).mean(axis=1) - 1
        kept = (mean > (0.1 + 0.9 / number) / 100) & (ratios[:, -1] > 1.005)
        self.hyperloom += int(kept.any(axis=1).sum())


class Results:
    """Tallies by case and true changes, each simulated once."""

    def __init__(self, runs: int, seed: int) -> None:
        self.runs, self.seed = runs, seed
        self.known: dict[tuple[Case, tuple[float, ...]], Tally] = {}

    def of(self, case: Case, change_pct: tuple[float, ...]) -> Tally:
        """The tally of these true changes, one for each arm."""
        if (case, change_pct) not in self.known:
            tally, effects = Tally(), np.log1p(np.array(change_pct) / 100)
            for logs, outcome in simulate(case, change_pct, self.runs, self.seed):
                tally.add(logs, outcome, effects)
            self.known[case, change_pct] = tally
        return self.known[case, change_pct]

    def null(self, case: Case) -> Tally:
        """No arm does anything."""
        return self.of(case, (0.0,) * case.arms)

    def planned(self, case: Case) -> Tally:
        """Every arm has the planned gain."""
        return self.of(case, (PLANNED_EFFECT_PCT,) * case.arms)

    def one_good(self, case: Case) -> Tally:
        """The first arm has the planned gain and the others do nothing."""
        return self.of(case, (PLANNED_EFFECT_PCT, *(0.0,) * (case.arms - 1)))


def errors_table(results: Results) -> Iterator[str]:
    """False words where no arm does anything."""
    yield "| arms | sd % | false FASTER a run | false SLOWER a run | SAME a run | arms given up | void |"
    yield "|---|---|---|---|---|---|---|"
    for case in CASES:
        null = results.null(case)
        cells = [shown(one, null.runs) for one in (null.false_or_true_faster, null.slower)]
        cells += [f"{100 * null.same / null.runs:.1f}", f"{100 * null.futile_arms / null.runs / case.arms:.1f}"]
        yield f"| {case.name} | " + " | ".join([*cells, f"{100 * null.void / null.runs:.2f}"]) + " |"


def power_table(results: Results) -> Iterator[str]:
    """Chance of FASTER, and launches in units of the fixed design's."""
    yield (
        "| arms | sd % | power, one arm at +3 % | power, every arm at +3 % | seen there on average | "
        "launches at +3 % | launches, null | most launches |"
    )
    yield "|---|---|---|---|---|---|---|---|"
    for case in CASES:
        good, planned, null = results.one_good(case), results.planned(case), results.null(case)
        per_arm = planned.faster_arms / planned.runs / case.arms
        seen = 100 * float(np.expm1(planned.seen_gain / max(1, planned.faster_arms)))
        shares = [tally.launches / tally.runs / case.fixed_launches for tally in (planned, null)]
        most = max(planned.most_launches, null.most_launches) / case.fixed_launches
        cells = [f"{100 * good.first_arm_faster / good.runs:.1f}", f"{100 * per_arm:.1f}", f"{seen:+.1f} %"]
        yield f"| {case.name} | " + " | ".join([*cells, *(f"{share:.2f}" for share in (*shares, most))]) + " |"


def hours_table(results: Results) -> Iterator[str]:
    """Launches, and hours of starts, of each case."""
    yield "| arms | sd % | fixed blocks | most blocks | fixed design | with looks, +3 % | with looks, null | at most |"
    yield "|---|---|---|---|---|---|---|---|"
    for case in CASES:
        planned, null = results.planned(case), results.null(case)
        most = max(planned.most_launches, null.most_launches)
        launches = (case.fixed_launches, planned.launches / planned.runs, null.launches / null.runs, most)
        cells = [f"{one:.0f} launches, {one * START_MINUTES / 60:.1f} h" for one in launches]
        yield f"| {case.name} | {case.fixed_blocks} | {case.most_blocks} | " + " | ".join(cells) + " |"


def intervals_table(results: Results) -> Iterator[str]:
    """How often a bound is wrong after stopping, beside the level it is stated at."""
    yield "| arms | sd % | true change % | lower bound too high | upper bound too low | stated |"
    yield "|---|---|---|---|---|---|"
    for case in (*FIRST_CASES, Case(4, 4.7)):
        for truth in TRUTHS_PCT:
            tally = results.of(case, (truth,) * case.arms)
            missed = [shown(one, tally.bounds) for one in (tally.low_missed, tally.high_missed)]
            stated = 100 * tally.stated / max(1, tally.bounds)
            yield f"| {case.name} | {truth:g} | " + " | ".join(missed) + f" | {stated:.2f} |"


def rules_table(results: Results) -> Iterator[str]:
    """The same launches judged by other rules."""
    yield (
        "| arms | sd % | this, null | one run above 2 %, null | 0.1 + 0.9/N % then once 0.5 %, null | "
        "this, +3 % | one run above 2 %, +3 % | 0.1 + 0.9/N % then once 0.5 %, +3 % |"
    )
    yield "|---|---|---|---|---|---|---|---|"
    for case in CASES[: 2 * len(SPREADS_PCT)]:
        cells: list[str] = []
        for tally in (results.null(case), results.planned(case)):
            kept = (tally.false_or_true_faster, tally.once_above_two, tally.hyperloom)
            cells += [f"{100 * one / tally.runs:.1f}" for one in kept]
        yield f"| {case.name} | " + " | ".join(cells) + " |"


TABLES = {
    f"Errors at level {100 * LEVEL:g} %, percent of runs (no arm does anything)": errors_table,
    "Power in percent, and launches in units of the fixed design's": power_table,
    f"Launches and hours on a server that starts in {START_MINUTES} minutes (starts alone)": hours_table,
    "Bounds after stopping: percent that miss the truth, each side": intervals_table,
    "Rules in use on the same launches: percent of runs in which an arm is kept": rules_table,
}


def main(arguments: list[str]) -> int:
    """Print every table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=RUNS, help="simulated runs for each figure")
    parser.add_argument("--seed", type=int, default=1, help="seed of the simulation")
    given = parser.parse_args(arguments)
    began, results = time.monotonic(), Results(given.runs, given.seed)
    for title, table in TABLES.items():
        print(f"\n{title}\n")
        for line in table(results):
            print(line, flush=True)
    print(f"\n{given.runs} runs a figure, seed {given.seed}, {time.monotonic() - began:.0f} s.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
