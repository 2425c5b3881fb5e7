"""Does the place inside a block matter, and does the machine drift from block to block? Estimated and shown only.

Orders are shuffled (or balanced, where a plan has looks), so neither moves a verdict on average; both say how far the
machine was from quiet, and the covariate check says how much of it may be left in any arm's change.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy  # its parts load when they are first used
from numpy.typing import NDArray

from harness.verdicts.cells import Key, Layout
from harness.vocabulary.outcome import Role

Array = NDArray[np.float64]
LEVEL = 0.05  # two-sided; these intervals inform and decide nothing


@dataclass(frozen=True)
class Slope:
    """One slope, percent, with its interval."""

    estimate_pct: float
    low_pct: float
    high_pct: float

    @property
    def is_seen(self) -> bool:
        """Whether the interval excludes 0."""
        return self.low_pct > 0 or self.high_pct < 0

    @property
    def words(self) -> str:
        """For people."""
        return f"{self.estimate_pct:+.2f} % [{self.low_pct:+.2f}, {self.high_pct:+.2f}]"


@dataclass(frozen=True)
class Drift:
    """Order and drift of one metric in one run."""

    position: Slope | None  # change for each place later inside a block
    block: Slope | None  # change of the controls from one block to the next
    moved_pct: float  # most that any arm's change moves when position is taken out

    def sentences(self, key: Key) -> tuple[str, ...]:
        """What a person should know of them."""
        said: list[str] = []
        what = f"{key[0]} at load {key[1]}"
        if self.position is not None:
            seen = "an effect of order is seen" if self.position.is_seen else "no effect of order is seen"
            said.append(
                f"{what}: {self.position.words} for each place later inside a block, so {seen}; without it no arm's "
                f"change moves by more than {self.moved_pct:.2f} %"
            )
        if self.block is not None:
            seen = "the machine drifted" if self.block.is_seen else "no drift is seen"
            said.append(f"{what}: the controls change by {self.block.words} from block to block, so {seen}")
        return tuple(said)


def drift(cells: Layout, key: Key) -> Drift:
    """Fit log value = block + treatment + slope * position over every launch with a number, by least squares."""
    used = [cell for cell in cells.cells if key in cell.numbers]
    logs = np.log(np.array([cell.numbers[key] for cell in used], dtype=np.float64))
    if not used:
        return Drift(None, None, 0.0)
    blocks = _dummies([cell.launch.block for cell in used])
    names = [cell.launch.arm or "" for cell in used]  # baseline and placebo are one treatment
    treatments = _dummies(names)[:, 1:]
    plain = np.hstack([blocks, treatments])
    position = np.array([[cell.launch.position] for cell in used], dtype=np.float64)
    whole = np.hstack([plain, position - position.mean()])
    slope = _slope(whole, logs)
    before = np.linalg.lstsq(plain, logs, rcond=None)[0][blocks.shape[1] :]
    after = np.linalg.lstsq(whole, logs, rcond=None)[0][blocks.shape[1] : -1]
    moved = float(np.abs(after - before).max(initial=0.0)) if slope else 0.0
    return Drift(slope, _block_slope(cells, key), 100 * moved)


def _block_slope(cells: Layout, key: Key) -> Slope | None:
    controls = {role: {cell.launch.block: cell for cell in cells.of(role)} for role in (Role.BASELINE, Role.PLACEBO)}
    blocks = cells.complete(key)
    means = [np.mean([np.log(of_block[block].numbers[key]) for of_block in controls.values()]) for block in blocks]
    numbers = np.array([[1.0, block] for block in blocks]).reshape(len(blocks), 2)
    return _slope(numbers, np.array(means, dtype=np.float64))


def _slope(columns: Array, logs: Array) -> Slope | None:
    """The last column's coefficient with its interval; none where it cannot be told from the others."""
    rank = int(np.linalg.matrix_rank(columns)) if columns.size else 0
    freedom = len(logs) - rank
    if freedom < 1 or rank < columns.shape[1]:
        return None
    solution = np.linalg.lstsq(columns, logs, rcond=None)[0]
    rest = logs - columns @ solution
    variance = float(rest @ rest) / freedom * float(np.linalg.inv(columns.T @ columns)[-1, -1])
    half = -float(scipy.special.stdtrit(freedom, LEVEL / 2)) * variance**0.5
    low, middle, high = (100 * float(np.expm1(solution[-1] + part)) for part in (-half, 0.0, half))
    return Slope(middle, low, high)


def _dummies(labels: Sequence[int] | Sequence[str]) -> Array:
    values, index = np.unique(np.array(labels), return_inverse=True)
    found = np.zeros((len(labels), len(values)))
    found[np.arange(len(labels)), index] = 1.0
    return found
