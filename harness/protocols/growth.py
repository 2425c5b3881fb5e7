"""What grows while a server is used: memory and descriptors of each process over time, with an interval. Pure.

Memory of a busy server jumps up and down, and neighbouring looks are alike. So a line is laid through the means of ten
windows after the plateau, not through the looks, and its interval is Student's with eight degrees of freedom.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import scipy  # its parts load when they are first used

from harness.protocols.base import ProcessUse

WINDOWS = 10
LEVEL = 0.005  # error of each bound: a server has up to a dozen processes, each with two slopes
HOUR_S = 3600.0


@dataclass(frozen=True)
class Look:
    """One look at all processes; seconds of a monotonic clock."""

    at: float
    uses: tuple[ProcessUse, ...]


@dataclass(frozen=True)
class Slope:
    """Change an hour, with its bounds."""

    per_h: float
    low: float
    high: float


@dataclass(frozen=True)
class Growth:
    """One process after the plateau."""

    pid: int
    name: str
    memory_mib_h: Slope
    descriptors_h: Slope
    memory_mib: float  # at the last look

    @property
    def sentence(self) -> str:
        """In words, for people."""
        memory, files = self.memory_mib_h, self.descriptors_h
        return (
            f"pid {self.pid} ({self.name}): {self.memory_mib:.1f} MiB, {memory.per_h:+.1f} MiB an hour "
            f"({memory.low:+.1f} to {memory.high:+.1f}), {files.per_h:+.1f} descriptors an hour"
        )


def growth(looks: Sequence[Look], plateau: float) -> tuple[Growth, ...]:
    """Every process seen in all looks after the plateau, a share of the whole time, the fastest growing first."""
    late = after_plateau(looks, plateau)
    pids = set.intersection(*({use.pid for use in look.uses} for look in late)) if late else set()
    found: list[Growth] = []
    for pid in sorted(pids):
        uses = [next(use for use in look.uses if use.pid == pid) for look in late]
        times = [look.at for look in late]
        memory, files = slope(times, [use.memory_mib for use in uses]), slope(times, [use.descriptors for use in uses])
        if memory is not None and files is not None:
            found.append(Growth(pid, uses[-1].name, memory, files, uses[-1].memory_mib))
    return tuple(sorted(found, key=lambda one: -one.memory_mib_h.per_h))


def after_plateau(looks: Sequence[Look], plateau: float) -> list[Look]:
    """The looks after a share of the time between the first and the last; none of fewer than two."""
    if len(looks) < 2:
        return []
    begin = looks[0].at + plateau * (looks[-1].at - looks[0].at)
    return [look for look in looks if look.at >= begin]


def slope(times_s: Sequence[float], values: Sequence[float]) -> Slope | None:
    """Least squares through the means of ten windows of equal counts; none with fewer than two looks a window."""
    if len(times_s) < 2 * WINDOWS:
        return None
    edges = [round(index * len(times_s) / WINDOWS) for index in range(WINDOWS + 1)]
    xs = [_mean(times_s[begin:end]) for begin, end in pairwise(edges)]
    ys = [_mean(values[begin:end]) for begin, end in pairwise(edges)]
    middle_x, middle_y = _mean(xs), _mean(ys)
    spread = sum((x - middle_x) ** 2 for x in xs)
    if spread <= 0:
        return None
    rate = sum((x - middle_x) * (y - middle_y) for x, y in zip(xs, ys, strict=True)) / spread
    residual = sum((y - middle_y - rate * (x - middle_x)) ** 2 for x, y in zip(xs, ys, strict=True))
    error = math.sqrt(residual / (WINDOWS - 2) / spread)
    reach = float(scipy.special.stdtrit(WINDOWS - 2, 1 - LEVEL)) * error
    return Slope(rate * HOUR_S, (rate - reach) * HOUR_S, (rate + reach) * HOUR_S)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
