"""What the machine can do at most, measured in the same run, and the time below which no honest call can be."""

import ctypes
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from harness.kernels.bench.c_device import LEAST_SCRUB, MOST_SCRUB, last_level_bytes
from harness.kernels.bench.plan import Plan, Sizes

# A measured ceiling is itself a measurement, and loads and stores overlap; only what passes it by far is refused.
SLACK = {"memory": 1.5, "cache": 2.0, "arithmetic": 1.5}
PER_FP32 = {"fp32": 1.0, "fp16": 16.0, "int8": 32.0}  # most that matrix units give over plain fused multiply-adds
# Many looks of well below a millisecond: on a busy machine some of them pass undisturbed, and the best one counts.
IN_CACHE_BYTES, ROUNDS, BEST_OF = 16 << 10, 1_000, 40
PIECE_BYTES, MEMORY_ROUNDS = 2 << 20, 3
FMA_ROUNDS, FMA_OPERATIONS = 10_000, 12 * 16 * 2


@dataclass(frozen=True)
class Ceilings:
    """Bytes and operations a second, and the size of the last-level cache; 0 where nothing was measured."""

    memory_bytes_s: float
    cache_bytes_s: float
    fp32_s: float
    cache_bytes: int
    cold_is_cold: bool = True  # whether emptying the cache is within reach here
    fault: str = ""  # why nothing could be measured

    def named(self) -> dict[str, float]:
        """As a report keeps them."""
        return {
            "memory_bytes_s": self.memory_bytes_s,
            "cache_bytes_s": self.cache_bytes_s,
            "fp32_s": self.fp32_s,
            "cache_bytes": float(self.cache_bytes),
        }

    def impossible(self, shape: Sizes, mode: str, taken_ns: float, unit: str) -> str | None:
        """One clause when a call was faster than this machine can be."""
        from_memory = mode == "cold" and self.cold_is_cold
        rate = self.memory_bytes_s * SLACK["memory"] if from_memory else self.cache_bytes_s * SLACK["cache"]
        operations = self.fp32_s * PER_FP32[unit] * SLACK["arithmetic"]
        for need, most, what in ((shape.bytes, rate, "B/s"), (shape.operations, operations, "operations/s")):
            if most > 0 and not (taken_ns * 1e-9 >= need / most):
                seen = need / (taken_ns * 1e-9)
                return (
                    f"{taken_ns / 1000:.3g} us would be {seen:.3g} {what}, and this machine reaches at most {most:.3g}"
                )
        return None


def measure(pack: Path, plan: Plan) -> Ceilings:
    """The ceilings of the plan's device."""
    if plan.language == "c":
        return of_processor(pack, plan)
    from harness.kernels.bench.cuda_ceilings import of_card  # noqa: PLC0415 - needs cuda-core

    found: Ceilings = of_card(pack)
    return found


def of_processor(pack: Path, plan: Plan) -> Ceilings:
    """Measure with the pack's own object; each thread that an arm may use counts in full."""
    library = ctypes.CDLL(str(pack / plan.ceilings["c"]))
    library.read_all.restype = library.multiply_add.restype = ctypes.c_float
    threads = min(plan.threads, len(os.sched_getaffinity(0)))
    cache = last_level_bytes()
    large = np.ones(min(MOST_SCRUB, max(LEAST_SCRUB, 4 * cache)) // 4, dtype=np.float32)

    def read(offset: int, size: int, rounds: int) -> None:
        pointer = ctypes.c_void_p(large.ctypes.data + offset)
        library.read_all(pointer, ctypes.c_int64(size), ctypes.c_int64(rounds))

    in_cache = IN_CACHE_BYTES * ROUNDS / _best([lambda: read(0, IN_CACHE_BYTES, ROUNDS)] * BEST_OF)
    pieces = range(0, large.nbytes, PIECE_BYTES)  # each is read once in a round, and a round is larger than the cache
    memory = PIECE_BYTES / _best([partial(read, offset, PIECE_BYTES, 1) for offset in pieces] * MEMORY_ROUNDS)
    fma = _best([lambda: library.multiply_add(ctypes.c_float(0.5), ctypes.c_int64(FMA_ROUNDS))] * BEST_OF)
    cold = large.nbytes >= 2 * cache
    return Ceilings(memory * threads, in_cache * threads, FMA_OPERATIONS * FMA_ROUNDS / fma * threads, cache, cold)


def _best(looks: Sequence[Callable[[], object]]) -> float:
    """Least seconds of a few looks."""
    times = []
    for look in looks:
        began = time.perf_counter()
        look()
        times.append(time.perf_counter() - began)
    return min(times)
