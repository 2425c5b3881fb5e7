"""The IQ4_XS product on the processor: `python -m benchmarks.kernel_cpu [--rounds 9]`, one thread, gcc -O3 -march=native.

Plain C and the AVX2 arm take turns on the same inputs; weights rotate over several sets, so that they come from memory, and
the same bytes are read by a loop that does nothing else. Results are compared with float64. Prints a markdown table.
"""

import argparse
import ctypes
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.kernel_build import ROOT, task_module

ROWS, K, SETS = 17408, 5120, 4
READ = """
#include <stdint.h>
uint64_t read_all(const uint64_t *from, int64_t words) {
    uint64_t sum = 0;
    for (int64_t i = 0; i < words; ++i) sum ^= from[i];
    return sum;
}
"""


def library(source: Path, folder: Path) -> ctypes.CDLL:
    built = folder / f"{source.stem}.so"
    command = ["gcc", "-O3", "-march=native", "-shared", "-fPIC", "-o", str(built), str(source)]
    subprocess.run(command, check=True, timeout=60)
    return ctypes.CDLL(str(built))


def address(array: np.ndarray) -> ctypes.c_void_p:  # type: ignore[type-arg]
    return array.ctypes.data_as(ctypes.c_void_p)


def main() -> None:
    """One row for each number of positions."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=9)
    rounds = parser.parse_args().rounds
    inputs, reference = task_module("iq4xs_mmv_c", "inputs"), task_module("iq4xs_mmv_c", "reference").reference
    rng = np.random.default_rng(3)
    sets = [inputs.weights(ROWS, K, rng) for _ in range(SETS)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "read.c").write_text(READ)
        arms = {
            arm: library(ROOT / "kernels" / "iq4xs_mmv_c" / "arms" / f"{arm}.c", folder) for arm in ("plain", "avx2")
        }
        read = library(folder / "read.c", folder).read_all
    print(
        "| M | plain, ms | AVX2, ms | times faster (least to most of the rounds) | read, ms | share of read bandwidth |"
    )
    print("|---|---|---|---|---|---|")
    for m in (1, 4, 8):
        blocks = inputs.quantised(rng.standard_normal((m, K), np.float32))
        right = reference({"n": ROWS, "k": K, "m": m}, {"weights": sets[0], "activations": blocks})["y"]
        times: dict[str, list[float]] = {"plain": [], "avx2": [], "read": []}
        for turn in range(rounds):
            weights = sets[turn % SETS]
            for arm, code in arms.items():
                y = np.full((m, ROWS), np.nan, np.float32)
                began = time.perf_counter()
                code.iq4xs_mmv(address(y), address(weights), address(blocks), ROWS, K, m)
                times[arm].append(time.perf_counter() - began)
                if turn == 0 and not np.linalg.norm(y - right) <= 1e-5 * np.linalg.norm(right):
                    raise SystemExit(f"{arm} is wrong at M = {m}")
            began = time.perf_counter()
            read(address(sets[(turn + 1) % SETS]), ctypes.c_int64(weights.nbytes // 8))
            times["read"].append(time.perf_counter() - began)
        plain, fast, bare = (1e3 * np.array(times[name]) for name in ("plain", "avx2", "read"))
        ratios = plain / fast
        share = f"{100 * np.median(bare) / np.median(fast):.0f} %"
        span = f"{np.median(ratios):.1f} ({ratios.min():.1f} to {ratios.max():.1f})"
        print(
            f"| {m} | {np.median(plain):.0f} | {np.median(fast):.1f} | {span} | {np.median(bare):.2f} | {share} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
