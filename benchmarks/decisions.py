"""How often the verdicts are wrong: simulated runs, judged by the code that ships, beside two rules in use.

Run it with `python -m benchmarks.decisions`; it prints Markdown tables. Nothing is measured here.
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import special

from harness.planning import blocks_needed, visible_effect_pct
from harness.planning.power import POOLING_LEVEL
from harness.verdicts.layout import fit
from harness.verdicts.speed import arm_bounds, placebo_bounds, placebo_differs, speeds

Array = NDArray[np.float64]
Rates = NDArray[np.bool_]

RUNS = 20_000  # 1,000 runs cannot show "at most 1 %"; 20,000 can
CHUNK_RUNS = 1_000  # keeps memory below some tens of MiB
DRIFT_SD = 0.05  # step of the random walk that each block adds to all of its launches, log scale
SPREADS_PCT = (1.0, 4.7, 8.0)  # between launches: a quiet machine, a range of 8 % over three launches, a busy one
PLANNED_EFFECT_PCT = 3.0  # what the strict design is planned to see
NOISY_ARM = 3.0  # how much more the last arm spreads in the world with a noisy arm
TAIL_FREEDOM = 4  # Student's t in the world with outliers


@dataclass(frozen=True)
class Plan:
    """A design under test."""

    name: str
    arms: int
    level: float
    effect_pct: float  # smallest effect that matters
    blocks: int
    spread_pct: float
    pooling_level: float = POOLING_LEVEL


@dataclass(frozen=True)
class World:
    """What is true in the simulation."""

    change_pct: float = 0.0  # true change of every arm
    noisy_arm: bool = False
    outliers: bool = False


@dataclass(frozen=True)
class Counted:
    """Share of runs (void, and any arm with the word) and of arms (FASTER)."""

    runs: int
    void: int
    any_faster: int
    any_slower: int
    any_same: int
    faster_arms: float
    once_above_two: int  # "one run each, above 2 %" keeps an arm
    hyperloom: int  # "mean gain above 0.1 + 0.9/N %" keeps an arm


def plans() -> Iterator[Plan]:
    """The demo's design and a strict one, at each spread."""
    for spread in SPREADS_PCT:
        yield Plan("demo", arms=4, level=0.05, effect_pct=10, blocks=4, spread_pct=spread)
    for spread in SPREADS_PCT:
        blocks = blocks_needed(PLANNED_EFFECT_PCT, spread, arms=1, level=0.01)
        assert blocks is not None
        yield Plan("strict", arms=1, level=0.01, effect_pct=1, blocks=blocks, spread_pct=spread)


def draw(plan: Plan, world: World, runs: int, generator: np.random.Generator) -> Array:
    """Logs of one metric, shape (runs, blocks, baseline + placebo + arms), with drift from block to block."""
    shape = (runs, plan.blocks, plan.arms + 2)
    if world.outliers:
        noise = generator.standard_t(TAIL_FREEDOM, shape) / np.sqrt(TAIL_FREEDOM / (TAIL_FREEDOM - 2))
    else:
        noise = generator.standard_normal(shape)
    if world.noisy_arm:
        noise[..., -1] *= NOISY_ARM
    drift = np.cumsum(generator.normal(0, DRIFT_SD, (runs, plan.blocks, 1)), axis=1)
    logs: Array = drift + noise * plan.spread_pct / 100
    logs[..., 2:] += np.log1p(world.change_pct / 100)
    return logs


def judge(logs: Array, plan: Plan) -> tuple[Rates, NDArray[np.str_]]:
    """Whether each run is void, and the word of each arm, by the code that judges real runs."""
    fitted = fit(logs, plan.pooling_level)
    bounds = arm_bounds(fitted, plan.level, plan.arms)
    return placebo_differs(placebo_bounds(fitted)), speeds(fitted.estimate, bounds, plan.effect_pct, False)


def count(plan: Plan, world: World, runs: int, seed: int) -> Counted:
    """Simulate and count. A void run says nothing about any arm."""
    generator = np.random.Generator(np.random.PCG64([seed, int(10 * plan.spread_pct), plan.blocks]))
    parts: list[tuple[float, ...]] = []
    for start in range(0, runs, CHUNK_RUNS):
        logs = draw(plan, world, min(CHUNK_RUNS, runs - start), generator)
        void, words = judge(logs, plan)
        words = np.where(void[:, np.newaxis], "VOID", words)
        values = np.exp(logs)
        once = values[:, 0, 2:] / values[:, 0, :1] - 1
        mean = values[..., 2:].mean(axis=1) / values[..., 0].mean(axis=1, keepdims=True) - 1
        parts.append(
            (
                void.sum(),
                *((words == word).any(axis=1).sum() for word in ("FASTER", "SLOWER", "SAME")),
                (words == "FASTER").mean() * len(words),
                (once > 0.02).any(axis=1).sum(),
                (mean > (0.1 + 0.9 / plan.blocks) / 100).any(axis=1).sum(),
            )
        )
    total = np.sum(np.array(parts, dtype=np.float64), axis=0)
    void_runs, faster, slower, same = (int(one) for one in total[:4])
    return Counted(runs, void_runs, faster, slower, same, float(total[4]) / runs, int(total[5]), int(total[6]))


def upper(count_of: int, runs: int) -> float:
    """Clopper-Pearson upper bound of a share, one-sided 95 %."""
    return 1.0 if count_of == runs else float(special.betaincinv(count_of + 1, runs - count_of, 0.95))


def shown(count_of: int, runs: int) -> str:
    """A share and its upper bound, percent."""
    return f"{100 * count_of / runs:.2f} (<= {100 * upper(count_of, runs):.2f})"


def rates_table(runs: int, seed: int) -> Iterator[str]:
    """Error rates and power where the model holds."""
    yield "| design | sd % | blocks | false FASTER a run | false SLOWER a run | void | false SAME at the effect |"
    yield "|---|---|---|---|---|---|---|"
    for plan in plans():
        null = count(plan, World(), runs, seed)
        edge = count(plan, World(plan.effect_pct), runs, seed)
        cells = (null.any_faster, null.any_slower, null.void, edge.any_same)
        yield f"| {named(plan)} | " + " | ".join(shown(one, runs) for one in cells) + " |"


def power_table(runs: int, seed: int) -> Iterator[str]:
    """How often an arm that is really faster is called so."""
    yield "| design | sd % | blocks | sees % | at the smallest effect | at what it sees, or that if larger | at +40 % |"
    yield "|---|---|---|---|---|---|---|"
    for plan in plans():
        sees = visible_effect_pct(plan.spread_pct, plan.blocks, plan.arms, plan.level)
        at = [
            count(plan, World(change), runs, seed).faster_arms
            for change in (plan.effect_pct, max(sees, plan.effect_pct), 40.0)
        ]
        yield f"| {named(plan)} | {sees:.1f} | " + " | ".join(f"{100 * one:.1f}" for one in at) + " |"


def rules_table(runs: int, seed: int) -> Iterator[str]:
    """The same runs in which no arm does anything, judged by other rules."""
    yield "| design | sd % | blocks | this | one run each, above 2 % | mean gain above 0.1 + 0.9/N % |"
    yield "|---|---|---|---|---|---|"
    for plan in plans():
        null = count(plan, World(), runs, seed)
        cells = (null.any_faster, null.once_above_two, null.hyperloom)
        yield f"| {named(plan)} | " + " | ".join(f"{100 * one / runs:.2f}" for one in cells) + " |"


def worlds_table(runs: int, seed: int) -> Iterator[str]:
    """False FASTER a run where the model does not hold."""
    yield "| design | sd % | blocks | as assumed | last arm spreads three times as much | outliers (Student t, 4 df) |"
    yield "|---|---|---|---|---|---|"
    for plan in plans():
        worlds = (World(), World(noisy_arm=True), World(outliers=True))
        cells = (count(plan, world, runs, seed).any_faster for world in worlds)
        yield f"| {named(plan)} | " + " | ".join(shown(one, runs) for one in cells) + " |"


def pooling_table(runs: int, seed: int) -> Iterator[str]:
    """What the level of the pooling check trades: protection from a noisy arm against power."""
    yield "| level of the check | noisy arm, effect 1 % | noisy arm, effect 10 % | alike, +25 % | alike, +40 % |"
    yield "|---|---|---|---|---|"
    for level in (0.0, 0.05, 0.1, 0.25, 0.5):
        plan = Plan("demo", arms=4, level=0.05, effect_pct=10, blocks=4, spread_pct=8, pooling_level=level)
        quiet = replace(plan, spread_pct=4.7)
        errors = [
            count(replace(quiet, effect_pct=effect), World(noisy_arm=True), runs, seed).any_faster
            for effect in (1.0, 10.0)
        ]
        powers = [count(plan, World(change), runs, seed).faster_arms for change in (25.0, 40.0)]
        cells = [shown(one, runs) for one in errors] + [f"{100 * one:.1f}" for one in powers]
        yield f"| {level:g} | " + " | ".join(cells) + " |"


def named(plan: Plan) -> str:
    """The first three cells of every row."""
    return f"{plan.name} | {plan.spread_pct:g} | {plan.blocks}"


TABLES: dict[str, Callable[[int, int], Iterator[str]]] = {
    "Errors, percent of runs (no arm does anything; last column: every arm has just the smallest effect)": rates_table,
    "Power: percent of arms called FASTER when every arm is truly faster by so much": power_table,
    "Rules in use: percent of runs in which an arm is kept although none does anything": rules_table,
    "False FASTER, percent of runs, where the model does not hold": worlds_table,
    "Level of the pooling check, demo: false FASTER a run (sd 4.7 %, one arm 14 %), power (sd 8 %)": pooling_table,
}


def main(arguments: list[str]) -> int:
    """Print every table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=RUNS, help="simulated runs for each figure")
    parser.add_argument("--seed", type=int, default=1, help="seed of the simulation")
    given = parser.parse_args(arguments)
    began = time.monotonic()
    for title, table in TABLES.items():
        print(f"\n{title}\n")
        for line in table(given.runs, given.seed):
            print(line, flush=True)
    print(f"\n{given.runs} runs a figure, seed {given.seed}, {time.monotonic() - began:.0f} s.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
