"""How fast one start is: the spread between starts, a drift and a random walk, all from the seed.

`sampling.py` draws many starts at once, without any process.
"""

import os
import random
from math import exp, log1p
from pathlib import Path

from harness.simulator.settings import Settings


def count_start(path: str) -> int:
    """Write this start into the file that counts them; its number from 1, or 1 without a file."""
    if not path:
        return 1
    line = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        os.write(line, b"start\n")
    finally:
        os.close(line)
    return Path(path).read_bytes().count(b"\n")


def speed_of(settings: Settings, start: int, name: str) -> float:
    """The factor on every rate of this start: what was asked for, times spread, drift and walk."""
    seed = settings.whole("seed")
    change = log1p(settings.number("speed-pct") / 100)
    change += settings.number("launch-sd-pct") / 100 * _normal(f"{seed}/{name}/{start}")
    change -= settings.number("drift-pct") / 100 * (start - 1)
    walk_sd = settings.number("walk-sd-pct") / 100
    change += sum(walk_sd * _normal(f"{seed}/walk/{step}") for step in range(1, start)) if walk_sd else 0.0
    return exp(change)


def _normal(seed: str) -> float:
    return random.Random(seed).gauss(0.0, 1.0)  # noqa: S311 - a simulation
