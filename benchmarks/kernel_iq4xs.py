"""The IQ4_XS product on a card: `python -m benchmarks.kernel_iq4xs CUBINS OUT.json [--shape NxK] [--rounds 30]`.

Sweeps all variants, then times the best of each arm again beside the ceilings (pure read, copy, dequantising, fp16
GEMM), interleaved in shuffled rounds of one process. Weights rotate over more than four times the L2, launches go
through a graph; every result is compared with float64, over poisoned outputs, before and after timing.
"""

import argparse
import ctypes
import json
import random
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.kernel_build import cubin_name, task_module
from benchmarks.kernel_card import Array, Card, CardError, Gemm, Launch
from benchmarks.kernel_iq4xs_plan import FOLDER, Variant, variants

POSITIONS = (1, 2, 3, 4, 6, 8, 9, 12, 15, 16, 20, 24, 32, 40, 48, 64)
MOST_POSITIONS, HALF_COPIES, CYCLES = 64, 4, 4
ROTATED_BYTES = 512 << 20  # more than eight times the 60 MB of L2
TOLERANCE, TOLERANCE_HALF = 2e-6, 2e-3  # of the norm: fp32 sums of exact products; fp16 weights round to 2^-11
INT = ctypes.c_int
READ_UNROLLS = (2, 4, 5, 8)


@dataclass(frozen=True)
class Bench:
    """Arrays on the card, and what is right for two of the weight sets."""

    card: Card
    gemm: Gemm
    cubins: Path
    n: int
    k: int
    weights: list[int]
    half_weights: list[int]
    x: int
    blocks: int
    half_x: int
    y: list[int]
    ordered_x: int
    right: dict[int, Array]

    @property
    def weight_bytes(self) -> int:
        return self.n * self.k // 256 * 136

    def function(self, source: str, flags: tuple[str, ...], entry: str, shared: int = 0, on: str = "sm_90") -> Any:
        return self.card.function(self.cubins / cubin_name(source, list(flags), on), entry, shared)


def prepared(cubins: Path, n: int, k: int, seed: int) -> Bench:
    """Uploads inputs, dequantises some weight sets to fp16 and works out what is right."""
    card, rng, given = Card(), np.random.default_rng(seed), task_module("iq4xs_mmv", "inputs")
    reference = task_module("iq4xs_mmv", "reference").reference
    count = -(-ROTATED_BYTES // (n * k // 256 * 136))
    hosts = [given.weights(n, k, rng) for _ in range(count)]
    x = rng.standard_normal((MOST_POSITIONS, k), np.float32)
    blocks = given.quantised(x)
    sizes = {"n": n, "k": k, "m": MOST_POSITIONS}
    right = {i: reference(sizes, {"weights": hosts[i], "activations": blocks})["y"] for i in (0, count - 1)}
    scales = blocks[..., 0:2].copy().view(np.float16).astype(np.float32)
    half_x = card.put((scales * blocks[..., 4:].view(np.int8)).astype(np.float16))
    y = [card.array(MOST_POSITIONS * n * 4) for _ in range(count)]
    ordered_x = card.array(MOST_POSITIONS * k * 2)
    halves = [card.array(n * k * 2) for _ in range(HALF_COPIES)]
    sets = [card.put(one) for one in hosts]
    given_x, given_blocks = card.put(x), card.put(blocks)
    bench = Bench(card, Gemm(card), cubins, n, k, sets, halves, given_x, given_blocks, half_x, y, ordered_x, right)
    for index, to in enumerate(halves):
        card.launch(dequantise(bench, index, to))
    card.wait()
    return bench


def dequantise(b: Bench, index: int, to: int) -> Launch:
    function = b.function(f"{FOLDER}/dequant.cu", (), "iq4xs_to_f16")
    return Launch(function, (132 * 8, 1, 1), 256, 0, ((to, None), (b.weights[index], None), (b.n, INT), (b.k, INT)))


def product(b: Bench, v: Variant, m: int, index: int) -> Launch:
    function = b.function(v.source, v.flags, "iq4xs_mmv", v.shared, v.architecture)
    activations = b.x if v.arm == "mma-fused" else b.ordered_x if v.arranges else b.blocks
    arguments = ((b.weights[index], None), (activations, None), (b.y[index], None), (b.n, INT), (b.k, INT), (m, INT))
    return Launch(function, (v.grid, -(-m // v.positions), 1), v.block, v.shared, arguments, v.arranges and v.overlaps)


def start(b: Bench, v: Variant, m: int, index: int) -> None:
    """Every launch that the variant needs."""
    if v.arranges:
        function = b.function(v.source, v.flags, "arrange", 0, v.architecture)
        arrays = ((b.ordered_x, None), (b.y[index], None), (b.blocks, None))
        b.card.launch(Launch(function, (1056, 1, 1), 128, 0, (*arrays, (b.n, INT), (b.k, INT), (m, INT))))
    b.card.launch(product(b, v, m, index))


def read(b: Bench, unroll: int, index: int) -> Launch:
    function = b.function("kernels/iq4xs_mmv/ceilings.cu", (f"-DUNROLL={unroll}",), "pure_read")
    arguments = ((b.y[0], None), (b.weights[index], None), (b.weight_bytes // 16, ctypes.c_long))
    return Launch(function, (132 * 4, 1, 1), 512, 0, arguments)


def quantise(b: Bench, m: int) -> Launch:
    function = b.function("kernels/quantize_q8_1/arms/vectors.cu", (), "quantize_q8_1")
    items = m * b.k // 32
    return Launch(function, (-(-items * 8 // 128), 1, 1), 128, 0, ((b.blocks, None), (b.x, None), (items, INT)))


def rotated(b: Bench, each: Callable[[int], None]) -> Callable[[], None]:
    """One launch for each weight set, several times over."""

    def all_of_them() -> None:
        for _ in range(CYCLES):
            for index in range(len(b.weights)):
                each(index)

    return all_of_them


def launches(b: Bench) -> int:
    return CYCLES * len(b.weights)


def wrong(b: Bench, m: int, index: int, most: float) -> str:
    """What is wrong with the output of a weight set, or nothing."""
    got, right = b.card.get(b.y[index], (m, b.n), "float32"), b.right[index][:m]
    error = float(np.linalg.norm(got - right) / np.linalg.norm(right))
    worst = float(np.max(np.abs(got - right)) / np.sqrt(np.mean(right**2)))
    return "" if error <= most and worst <= 50 * most else f"error {error:.3g}, worst element {worst:.3g}"


def proved(b: Bench, work: Callable[[int], None], m: int, most: float = TOLERANCE) -> str:
    """Poisons the outputs, runs once on two weight sets and compares."""
    for index in b.right:
        b.card.poison(b.y[index], MOST_POSITIONS * b.n * 4)
        work(index)
        b.card.wait()
        said = wrong(b, m, index, most)
        if said:
            return said
    return ""


def tolerance(arm: str) -> float:
    """Of the norm: fused quantising may round a value on the edge to the other side; fp16 weights round to 2^-11."""
    return TOLERANCE_HALF if arm in ("mma-fused", "half") else TOLERANCE


def sweep(b: Bench, m: int) -> list[dict[str, object]]:
    """Every variant that can do m positions: proved, then a few replays."""
    rows: list[dict[str, object]] = []
    for v in variants(b.k):
        if not v.least <= m <= v.most or not (b.cubins / cubin_name(v.source, list(v.flags), v.architecture)).is_file():
            continue

        def work(index: int, v: Variant = v) -> None:
            start(b, v, m, index)

        try:
            most = tolerance(v.arm)
            said = proved(b, work, m, most)
            graph = None if said else b.card.graph(rotated(b, work))
        except CardError as error:
            rows.append({"m": m, "name": v.name, "arm": v.arm, "family": v.family, "wrong": str(error)})
            continue
        if graph is None:
            rows.append({"m": m, "name": v.name, "arm": v.arm, "family": v.family, "wrong": said})
            continue
        times = [b.card.microseconds(graph) / launches(b) for _ in range(7)]
        rows.append({"m": m, "name": v.name, "arm": v.arm, "family": v.family, "us": float(np.median(times[2:]))})
    return rows


def opponents(b: Bench, m: int) -> dict[str, Callable[[], None]]:
    """The ceilings and the dispatcher's other choice, each as what one graph does."""

    def gemm(index: int) -> None:
        b.gemm.multiply((b.y[index], b.half_x, b.half_weights[index % HALF_COPIES]), m, b.n, b.k)

    def both(index: int) -> None:
        half = index % HALF_COPIES
        b.card.launch(dequantise(b, index, b.half_weights[half]))
        b.gemm.multiply((b.y[index], b.half_x, b.half_weights[half]), m, b.n, b.k)

    def copy(index: int) -> None:
        size = (b.weight_bytes + b.n * b.k * 2) // 2  # the bytes that dequantising reads and writes
        b.card.copy(b.half_weights[index % HALF_COPIES], b.half_weights[(index + 1) % HALF_COPIES], size)

    found = {
        "gemm-f16": rotated(b, gemm),
        "dequantise+gemm": rotated(b, both),
        "dequantise": rotated(b, lambda i: b.card.launch(dequantise(b, i, b.half_weights[i % HALF_COPIES]))),
        "copy": rotated(b, copy),
    }
    for unroll in READ_UNROLLS:
        found[f"read-{unroll}"] = rotated(b, lambda i, u=unroll: b.card.launch(read(b, u, i)))  # type: ignore[misc]
    return found


def final(b: Bench, m: int, best: dict[str, Variant], rounds: int) -> dict[str, object]:
    """The best variant of each arm and the opponents, interleaved; microseconds of a launch by round."""
    work: dict[str, Callable[[], None]] = {**opponents(b, m)}
    single: dict[str, Callable[[int], None]] = {}
    for arm, v in best.items():
        single[arm] = lambda index, v=v: start(b, v, m, index)  # type: ignore[misc]
        work[arm] = rotated(b, single[arm])
    if "mma" in best:
        v = best["mma"]

        def after_quantise(index: int) -> None:
            b.card.launch(quantise(b, m))
            b.card.launch(product(b, v, m, index))

        work["quantise, mma"] = rotated(b, after_quantise)
    work["quantise"] = rotated(b, lambda index: b.card.launch(quantise(b, m)))
    graphs = {name: b.card.graph(each) for name, each in work.items()}
    times: dict[str, list[float]] = {name: [] for name in graphs}
    order = list(graphs)
    for name in order:
        b.card.microseconds(graphs[name])
    for _ in range(rounds):
        random.shuffle(order)
        for name in order:
            times[name].append(b.card.microseconds(graphs[name]) / launches(b))
    after = {arm: proved(b, single[arm], m, tolerance(arm)) for arm in single}
    return {"m": m, "variants": {arm: v.name for arm, v in best.items()}, "us": times, "wrong_after": after}


def gemm_right(b: Bench) -> float:
    """How far the fp16 GEMM is from float64, as a check of the opponent."""
    b.gemm.multiply((b.y[0], b.half_x, b.half_weights[0]), MOST_POSITIONS, b.n, b.k)
    b.card.wait()
    got = b.card.get(b.y[0], (MOST_POSITIONS, b.n), "float16").astype(np.float64)
    return float(np.linalg.norm(got - b.right[0]) / np.linalg.norm(b.right[0]))


def card_state() -> str:
    query = "name,driver_version,clocks.sm,clocks.mem,temperature.gpu,clocks_event_reasons.active,power.draw"
    command = ["nvidia-smi", f"--query-gpu={query}", "--format=csv,noheader"]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=20).stdout.strip()


def main() -> None:
    """Sweep, then the final rounds; writes what it has after each M."""
    parser = argparse.ArgumentParser()
    parser.add_argument("cubins", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--shape", default="17408x5120")
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--positions", default=",".join(str(m) for m in POSITIONS))
    asked = parser.parse_args()
    n, k = (int(part) for part in asked.shape.split("x"))
    began = time.monotonic()
    b = prepared(asked.cubins, n, k, asked.seed)
    result: dict[str, Any] = {"date": time.strftime("%Y-%m-%d"), **b.card.facts(), "n": n, "k": k, "seed": asked.seed}
    result |= {"weight_sets": len(b.weights), "weight_bytes": b.weight_bytes, "state_before": card_state()}
    result |= {"gemm_error": gemm_right(b), "sweep": [], "final": []}
    for m in (int(part) for part in asked.positions.split(",")):
        rows = sweep(b, m)
        result["sweep"] += rows
        by_name = {v.name: v for v in variants(k)}
        best: dict[str, Variant] = {}
        for row in sorted((row for row in rows if "us" in row), key=lambda row: float(str(row["us"]))):
            best.setdefault(str(row["arm"]), by_name[str(row["name"])])
        result["final"].append(final(b, m, best, asked.rounds))
        asked.out.write_text(json.dumps(result))
        medians = {name: round(float(np.median(us)), 2) for name, us in result["final"][-1]["us"].items()}
        print(
            f"{time.monotonic() - began:.0f} s, M={m}", json.dumps(medians), result["final"][-1]["variants"], flush=True
        )
    result["state_after"] = card_state()
    asked.out.write_text(json.dumps(result))
    bad = [row for row in result["sweep"] if "wrong" in row]
    print("wrong:", json.dumps(bad)[:3000])


if __name__ == "__main__":
    main()
