"""What the processor can do at most, measured in the same run with the pack's own object."""

import ctypes
import os
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from harness.kernels.bench.c_device import LEAST_SCRUB, MOST_SCRUB, last_level_bytes
from harness.kernels.bench.ceilings import Ceilings
from harness.kernels.bench.plan import Plan

# Many looks of well below a millisecond: on a busy machine some of them pass undisturbed, and the best one counts.
IN_CACHE_BYTES, ROUNDS, BEST_OF = 16 << 10, 1_000, 40
PIECE_BYTES, MEMORY_ROUNDS = 2 << 20, 3
FMA_ROUNDS, FMA_OPERATIONS = 10_000, 12 * 16 * 2


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
