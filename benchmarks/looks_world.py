"""Simulated runs with looks, judged at each look by the code that ships. Nothing is measured here."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from harness.planning import blocks_needed
from harness.planning.balanced import balanced_slots, screen_slots
from harness.planning.looks import most_blocks_needed
from harness.verdicts.calibration import plan_looks
from harness.verdicts.layout import Carried, carried, fit
from harness.verdicts.looks import Rule, decide
from harness.verdicts.screen import screen_estimates
from harness.verdicts.speed import placebo_bounds, placebo_differs
from harness.vocabulary.outcome import Role
from ledger.entries import Look, Slot

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

CHUNK_RUNS = 1_000  # keeps memory below some tens of MiB
LEVEL = 0.01
PLANNED_EFFECT_PCT = 3.0
SMALLEST_EFFECT_PCT = 1.0
LOOKS = 5
DRIFT_SD = 0.05  # step of the random walk from block to block, log scale
SLOPE_SD = 0.002  # a block's own slow drift, log scale for one position; each block draws its slope


@dataclass(frozen=True)
class Case:
    """One design on one machine."""

    arms: int
    spread_pct: float
    keep: int | None = None  # arms that go on from a screen of one pass; none: no screen
    gives_up: bool = True  # whether arms below the planned gain are given up

    @property
    def confirmed(self) -> int:
        """Arms that reach the confirmation."""
        return self.keep or self.arms

    @property
    def fixed_blocks(self) -> int:
        """Blocks of the fixed design that sees the planned effect in every arm."""
        return _known(blocks_needed(PLANNED_EFFECT_PCT, self.spread_pct, self.arms, LEVEL))

    @property
    def fixed_launches(self) -> int:
        """Launches of that design."""
        return self.fixed_blocks * (self.arms + 2)

    @property
    def most_blocks(self) -> int:
        """Most blocks of the confirmation."""
        return _known(most_blocks_needed(PLANNED_EFFECT_PCT, self.spread_pct, self.confirmed, LEVEL))

    @property
    def looks(self) -> tuple[Look, ...]:
        """The looks as a plan would fix them."""
        return _looks(self.most_blocks, self.confirmed)

    @property
    def name(self) -> str:
        """The first cells of a row."""
        screen = "" if self.keep is None else f", screen keeps {self.keep}"
        return f"{self.arms}{screen} | {self.spread_pct:g}"


@dataclass(frozen=True)
class Outcome:
    """What happened in many runs; arms that the screen left out have no word and no bound."""

    words: NDArray[np.str_]  # (runs, arms)
    futile: Flags  # (runs, arms)
    low: Array  # (runs, arms) log scale, NaN without bounds
    high: Array
    stated: Array  # (runs, arms) level of each bound
    launches: NDArray[np.int64]  # (runs,)
    void: Flags  # (runs,)


def simulate(case: Case, change_pct: tuple[float, ...], runs: int, seed: int) -> Iterator[tuple[Array, Outcome]]:
    """Chunks of runs, each with its logs; `change_pct` is the true change of each arm."""
    generator = np.random.Generator(np.random.PCG64([seed, case.arms, int(10 * case.spread_pct), case.keep or 0]))
    effects = np.log1p(np.array(change_pct) / 100)
    looks = case.looks
    for start in range(0, runs, CHUNK_RUNS):
        yield _chunk(case, looks, effects, min(CHUNK_RUNS, runs - start), generator)


def _chunk(
    case: Case, looks: tuple[Look, ...], effects: Array, runs: int, generator: np.random.Generator
) -> tuple[Array, Outcome]:
    names = [f"{index:064x}" for index in range(case.arms)]
    kept = np.ones((runs, case.arms), dtype=np.bool_)
    launches = np.zeros(runs, dtype=np.int64)
    if case.keep is not None:
        order = _positions(screen_slots(names, 1), names, 1)
        screened = screen_estimates(_draw(case, order, effects, runs, generator), order)
        ranks = np.argsort(np.argsort(-screened, axis=1), axis=1)
        kept = ranks < case.keep
        launches += case.arms + 2
    order = _positions(balanced_slots(names, case.most_blocks, 1), names, case.most_blocks)
    logs = _draw(case, order, effects, runs, generator)
    return logs, _confirm(case, looks, logs, kept, launches)


def _draw(case: Case, positions: NDArray[np.int64], effects: Array, runs: int, generator: np.random.Generator) -> Array:
    """Logs, shape (runs, blocks, baseline + placebo + arms): spread, a random walk over blocks, a slope inside each."""
    blocks, columns = positions.shape
    walk = np.cumsum(generator.normal(0, DRIFT_SD, (runs, blocks, 1)), axis=1)
    slope = generator.normal(0, SLOPE_SD, (runs, blocks, 1))
    logs: Array = walk + slope * positions + generator.normal(0, case.spread_pct / 100, (runs, blocks, columns))
    logs[..., 2:] += effects
    return logs


def _confirm(case: Case, looks: tuple[Look, ...], logs: Array, kept: Flags, launches: NDArray[np.int64]) -> Outcome:
    runs, arms = kept.shape
    rule = Rule(SMALLEST_EFFECT_PCT, PLANNED_EFFECT_PCT if case.gives_up else None, lower_is_better=False)
    open_arms, sharing = kept.copy(), np.full(runs, case.confirmed)
    words = np.where(kept, "AMBIGUOUS", "SCREENED")
    futile = np.zeros((runs, arms), dtype=np.bool_)
    low, high, stated = (np.full((runs, arms), np.nan) for _ in range(3))
    void, left, before = np.zeros(runs, dtype=np.bool_), Carried(np.zeros(runs), np.zeros(runs, dtype=np.int64)), 0
    for look in looks:
        going = open_arms.any(axis=1)
        launches = launches + np.where(going, (look.blocks - before) * (2 + open_arms.sum(axis=1)), 0)
        before = look.blocks
        patterns = open_arms @ (1 << np.arange(arms))
        for pattern in np.unique(patterns[going]):
            rows = np.flatnonzero(patterns == pattern)
            columns = np.flatnonzero(open_arms[rows[0]])
            seen = logs[rows][:, : look.blocks, [0, 1, *(columns + 2)]]
            fitted = fit(seen, left=Carried(left.squares[rows], left.freedom[rows]))
            said = decide(fitted, look, rule, sharing[rows])
            sharing[rows] = said.sharing
            at = np.ix_(rows, columns)
            words[at], low[at], high[at] = said.words, said.bounds.low, said.bounds.high
            stated[at] = LEVEL / said.of_arm
            futile[at] = said.futile & (said.words == "AMBIGUOUS")
            open_arms[at] = (said.words == "AMBIGUOUS") & ~said.futile
            _leave(seen, open_arms[at], left, rows)
            last = ~open_arms[rows].any(axis=1) | (look is looks[-1])
            void[rows[last]] = placebo_differs(placebo_bounds(fitted))[last]
    return Outcome(words, futile, low, high, stated, launches, void)


def _leave(seen: Array, staying: Flags, left: Carried, rows: NDArray[np.int64]) -> None:
    """Add what the arms of these runs that do not stay say about the spread; shapes (runs, arms) of `staying`."""
    for pattern in np.unique(staying, axis=0):
        some = (staying == pattern).all(axis=1)
        if not pattern.all():
            more = carried(seen[some], [0, 1, *(np.flatnonzero(pattern) + 2)])
            left.squares[rows[some]] += more.squares
            left.freedom[rows[some]] += more.freedom


def _positions(slots: tuple[Slot, ...], names: list[str], blocks: int) -> NDArray[np.int64]:
    """Positions by block and column: baseline, placebo, arms."""
    columns = {(Role.BASELINE.value, None): 0, (Role.PLACEBO.value, None): 1}
    found = np.zeros((blocks, len(names) + 2), dtype=np.int64)
    for slot in slots:
        column = columns.get((slot.role, None)) if slot.arm is None else names.index(slot.arm) + 2
        found[slot.block, column] = slot.position
    return found


@lru_cache
def _looks(most: int, confirmed: int) -> tuple[Look, ...]:
    return plan_looks(most, min(LOOKS, most - 1), LEVEL, confirmed)


def _known(blocks: int | None) -> int:
    assert blocks is not None
    return blocks
