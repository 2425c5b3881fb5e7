"""What the card can do at most, measured in a process of its own with the pack's own cubin. Needs cuda-core."""

import json
import subprocess
import sys
from collections.abc import Callable
from ctypes import c_float, c_int32, c_uint64
from pathlib import Path

from harness.kernels.bench.card import card_errors, object_for, open_card
from harness.kernels.bench.ceilings import Ceilings
from harness.kernels.bench.plan import read_plan
from harness.kernels.bench.process import child_environment
from harness.kernels.bench.trouble import Trouble

MEASURING_S = 120.0
MEMORY_BYTES = 1 << 30
L2_SHARE, L2_ROUNDS = 4, 200
FMA_ROUNDS, FMA_OPERATIONS = 20_000, 8 * 2
THREADS, BLOCKS_A_MULTIPROCESSOR, BEST_OF = 256, 8, 5
SHOWN = 300


def of_card(pack: Path) -> Ceilings:
    """Measured in a child, so that the runner itself never has a context; a fault where there is no card."""
    argv = [sys.executable, "-m", "harness.kernels.bench.cuda_ceilings", str(pack)]
    try:
        done = subprocess.run(argv, capture_output=True, timeout=MEASURING_S, check=False, env=child_environment())
    except subprocess.TimeoutExpired:
        return Ceilings(0.0, 0.0, 0.0, 0, fault=f"measuring them took longer than {MEASURING_S:g} s")
    try:
        return Ceilings(**json.loads(done.stdout))
    except (ValueError, TypeError):
        said = " ".join(done.stderr.decode("utf-8", "replace").split())[-SHOWN:]
        return Ceilings(0.0, 0.0, 0.0, 0, fault=said or "measuring them ended without a word")


def measure(pack: Path) -> Ceilings:
    """Bytes and operations a second, the best of a few launches each. Raises Trouble."""
    card = open_card()
    path = object_for(card, read_plan(pack).ceilings)
    with card_errors():
        from cuda import core  # noqa: PLC0415 - pip install cuda-core[cu12]

        code, stream = core.ObjectCode.from_cubin(str(pack / path)), card.create_stream()
        blocks = card.properties.multiprocessor_count * BLOCKS_A_MULTIPROCESSOR
        config = core.LaunchConfig(grid=blocks, block=THREADS)
        held = card.allocate(MEMORY_BYTES, stream=stream)
        held.fill(0, stream=stream)
        base, l2 = int(held.handle), int(card.properties.l2_cache_size)

        timed = core.EventOptions(timing_enabled=True)

        def best(name: str, *values: object) -> float:
            times = []
            for _ in range(BEST_OF):
                began = stream.record(options=timed)
                core.launch(stream, config, code.get_kernel(name), *values)
                ended = stream.record(options=timed)
                ended.sync()
                times.append((ended - began) / 1000)
            return float(min(times))

        return _rates(best, base, l2, blocks)


def _rates(best: Callable[..., float], base: int, l2: int, blocks: int) -> Ceilings:
    resident = l2 // L2_SHARE // 4096 * 4096
    memory = best("read_all", base, c_uint64(MEMORY_BYTES // 16), c_int32(1), base)
    cache = best("read_all", base, c_uint64(resident // 16), c_int32(L2_ROUNDS), base)
    fma = best("multiply_add", c_float(0.5), c_int32(FMA_ROUNDS), base)
    operations = FMA_OPERATIONS * FMA_ROUNDS * blocks * THREADS
    return Ceilings(MEMORY_BYTES / memory, resident * L2_ROUNDS / cache, operations / fma, l2)


if __name__ == "__main__":
    try:
        sys.stdout.write(json.dumps(vars(measure(Path(sys.argv[1])))))
    except Trouble as trouble:
        sys.exit(str(trouble))
