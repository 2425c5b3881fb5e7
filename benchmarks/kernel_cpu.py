"""The IQ4_XS product on one thread of the processor, gcc -O3 -march=native: `python -m benchmarks.kernel_cpu`.

Plain C and the AVX2 arm take turns on the same inputs; weights rotate over several sets, so that they come from memory,
and a loop that does nothing else reads the same bytes. Results are compared with float64. Prints a markdown table.
"""

import argparse
import ctypes
import subprocess
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.kernel_build import ROOT, task_module

Array = np.ndarray[Any, np.dtype[Any]]
ROWS, K, SETS, POSITIONS = 17408, 5120, 4, (1, 4, 8)
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


def address(array: Array) -> ctypes.c_void_p:
    return array.ctypes.data_as(ctypes.c_void_p)


def milliseconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1e3


def measured(code: dict[str, Any], sets: list[Array], m: int, rounds: int) -> dict[str, Array]:
    """Times of both arms and of the read, by round. Raises SystemExit if an arm is wrong."""
    task, times = task_module("iq4xs_mmv_c", "inputs"), {name: np.empty(rounds) for name in code}
    blocks = task.quantised(np.random.default_rng(m).standard_normal((m, K), np.float32))
    given = {"weights": sets[0], "activations": blocks}
    right = task_module("iq4xs_mmv_c", "reference").reference({"n": ROWS, "k": K, "m": m}, given)["y"]
    for turn in range(rounds):
        weights, other = sets[turn % SETS], sets[(turn + 1) % SETS]
        for arm in ("plain", "avx2"):
            y = np.full((m, ROWS), np.nan, np.float32)
            parts = (address(y), address(weights), address(blocks), ROWS, K, m)
            times[arm][turn] = milliseconds(partial(code[arm].iq4xs_mmv, *parts))
            if turn == 0 and not np.linalg.norm(y - right) <= 1e-5 * np.linalg.norm(right):
                raise SystemExit(f"{arm} is wrong at M = {m}")
        words = ctypes.c_int64(other.nbytes // 8)
        times["read"][turn] = milliseconds(partial(code["read"].read_all, address(other), words))
    return times


def main() -> None:
    """One row for each number of positions."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=9)
    rounds, rng = parser.parse_args().rounds, np.random.default_rng(3)
    sets = [task_module("iq4xs_mmv_c", "inputs").weights(ROWS, K, rng) for _ in range(SETS)]
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "read.c").write_text(READ)
        sources = {arm: ROOT / "kernels" / "iq4xs_mmv_c" / "arms" / f"{arm}.c" for arm in ("plain", "avx2")}
        sources["read"] = Path(name) / "read.c"
        code = {arm: library(source, Path(name)) for arm, source in sources.items()}
    print("| M | plain, ms | AVX2, ms | times faster (least to most) | least AVX2, ms | least read, ms | share |")
    print("|---|---|---|---|---|---|---|")
    for m in POSITIONS:
        times = measured(code, sets, m, rounds)
        ratios, least, read = times["plain"] / times["avx2"], times["avx2"].min(), times["read"].min()
        cells = [f"{m}", f"{np.median(times['plain']):.0f}", f"{np.median(times['avx2']):.1f}"]
        cells += [f"{np.median(ratios):.1f} ({ratios.min():.1f} to {ratios.max():.1f})"]
        cells += [f"{least:.2f}", f"{read:.2f}", f"{100 * read / least:.0f} %"]
        print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
