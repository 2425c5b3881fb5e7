"""Decode attention by partition size, and quantising alone: `python -m benchmarks.kernel_decode CUBINS OUT.json`.

With PLAN.json for CUBINS it writes what has to be built. Each shape has several caches in rotation (more than four
times the L2) and a pure read of the same bytes beside it; results are compared with float64 before and after.
"""

import argparse
import ctypes
import json
import random
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.kernel_build import cubin_name, task_module
from benchmarks.kernel_card import Card, Launch

ATTEND, WARP, VECTORS, READ = (
    "kernels/decode_partition/arms/split.cu",
    "kernels/quantize_q8_1/arms/warp.cu",
    "kernels/quantize_q8_1/arms/vectors.cu",
    "kernels/iq4xs_mmv/ceilings.cu",
)
PARTITIONS, HEADS = (512, 1024, 2048), (3, 6)
SHAPES = ((1, 8192), (1, 32768), (1, 131072), (8, 8192), (8, 21600))
QUANTISED = ((1, 5120), (8, 5120), (64, 5120), (8, 17408))
ROTATED_BYTES, TOLERANCE, INT = 300 << 20, 2e-3, ctypes.c_int
QUERY_HEADS, CACHE_HEADS, DIMENSION = 24, 4, 256
CALLS_A_STEP = 440  # as a step of the seeds' server makes


@dataclass(frozen=True)
class Cache:
    """One shape on the card: addresses of each of the rotating sets."""

    card: Card
    cubins: Path
    batch: int
    length: int
    keys: list[int]
    values: list[int]
    q: int
    out: int
    sums: int
    stats: int

    @property
    def bytes(self) -> int:
        return self.batch * self.length * CACHE_HEADS * DIMENSION * 2

    def function(self, source: str, flags: tuple[str, ...], entry: str, shared: int = 0) -> Any:
        return self.card.function(self.cubins / cubin_name(source, list(flags), "sm_90"), entry, shared)


def flags_of(heads: int, partition: int) -> tuple[str, ...]:
    return (f"-DHEADS={heads}", f"-DPARTITION={partition}")


def attend(c: Cache, heads: int, partition: int, index: int) -> None:
    """Both launches."""
    splits, flags, shared = -(-c.length // partition), flags_of(heads, partition), heads * partition * 4
    arguments = ((c.sums, None), (c.stats, None), (c.q, None), (c.keys[index], None), (c.values[index], None))
    sizes = ((c.length, INT), (splits, INT))
    first = c.function(ATTEND, flags, "attend", shared)
    c.card.launch(Launch(first, (QUERY_HEADS // heads, splits, c.batch), 256, shared, (*arguments, *sizes)))
    joined = ((c.out, None), (c.sums, None), (c.stats, None), (splits, INT))
    c.card.launch(Launch(c.function(ATTEND, flags, "combine"), (QUERY_HEADS, c.batch, 1), 256, 0, joined))


def read(c: Cache, index: int) -> None:
    function = c.function(READ, ("-DUNROLL=4",), "pure_read")
    for source in (c.keys[index], c.values[index]):
        arguments = ((c.out, None), (source, None), (c.bytes // 16, ctypes.c_long))
        c.card.launch(Launch(function, (132 * 4, 1, 1), 512, 0, arguments))


def prepared(card: Card, cubins: Path, batch: int, length: int) -> tuple[Cache, Any]:
    """Uploads the first set with what is right for it; the others are copies, which no arm can know."""
    sizes = {"batch": batch, "length": length}
    given = task_module("decode_partition", "inputs").make(sizes, np.random.default_rng(length))
    right = task_module("decode_partition", "reference").reference(sizes, given)["out"]
    count = max(2, -(-ROTATED_BYTES // (2 * given["keys"].nbytes)))
    keys, values = ([card.put(given[name]) for _ in range(count)] for name in ("keys", "values"))
    out = card.array(batch * QUERY_HEADS * DIMENSION * 4)
    splits = -(-length // min(PARTITIONS))
    sums = card.array(batch * QUERY_HEADS * splits * DIMENSION * 4)
    return Cache(
        card, cubins, batch, length, keys, values, card.put(given["q"]), out, sums, card.array(8 * batch * 24 * splits)
    ), right


def rounds_of(card: Card, work: dict[str, Callable[[], None]], launches: int, rounds: int) -> dict[str, list[float]]:
    graphs = {name: card.graph(each) for name, each in work.items()}
    times: dict[str, list[float]] = {name: [] for name in graphs}
    order = list(graphs)
    for name in order:
        card.microseconds(graphs[name])
    for _ in range(rounds):
        random.shuffle(order)
        for name in order:
            times[name].append(card.microseconds(graphs[name]) / launches)
    return times


def error_of(c: Cache, right: Any, heads: int, partition: int) -> float:
    c.card.poison(c.out, c.batch * QUERY_HEADS * DIMENSION * 4)
    attend(c, heads, partition, len(c.keys) - 1)
    c.card.wait()
    got = c.card.get(c.out, right.shape, "float32")
    return float(np.linalg.norm(got - right) / np.linalg.norm(right))


def decode(card: Card, cubins: Path, batch: int, length: int, rounds: int) -> dict[str, object]:
    c, right = prepared(card, cubins, batch, length)
    choices = [(heads, partition) for heads in HEADS for partition in PARTITIONS]
    errors = {f"{h} heads, {p}": error_of(c, right, h, p) for h, p in choices}
    times = 4
    work: dict[str, Callable[[], None]] = {}

    def all_sets(each: Callable[[int], None]) -> Callable[[], None]:
        def once() -> None:
            for _ in range(times):
                for index in range(len(c.keys)):
                    each(index)

        return once

    for h, p in choices:
        work[f"{h} heads, {p}"] = all_sets(lambda index, h=h, p=p: attend(c, h, p, index))  # type: ignore[misc]
    work["read"] = all_sets(lambda index: read(c, index))
    us = rounds_of(card, work, times * len(c.keys), rounds)
    after = {f"{h} heads, {p}": error_of(c, right, h, p) for h, p in choices}
    wrong = [name for name, error in {**errors, **after}.items() if not error <= TOLERANCE]
    for address in (*c.keys, *c.values, c.q, c.out, c.sums, c.stats):
        card.free(address)
    return {"batch": batch, "length": length, "us": us, "error": after, "wrong": wrong, "bytes": 2 * c.bytes}


def quantise(card: Card, cubins: Path, m: int, k: int, rounds: int) -> dict[str, object]:
    """The time of one call of many in a row."""
    x = np.random.default_rng(m).standard_normal((m, k), np.float32)
    expected = task_module("iq4xs_mmv", "inputs").quantised(x)
    source, blocks, items = card.put(x), card.array(expected.size), m * k // 32
    launched = {
        "warp": Launch(
            _quantiser(card, cubins, WARP), (-(-items * 32 // 256), 1, 1), 256, 0, _three(blocks, source, items)
        ),
        "vectors": Launch(
            _quantiser(card, cubins, VECTORS), (-(-items * 8 // 128), 1, 1), 128, 0, _three(blocks, source, items)
        ),
    }
    differ = {}
    for name, launch in launched.items():
        card.poison(blocks, expected.size)
        card.launch(launch)
        card.wait()
        differ[name] = int(np.count_nonzero(card.get(blocks, expected.shape, "uint8") != expected))

    def calls(launch: Launch) -> Callable[[], None]:
        def once() -> None:
            for _ in range(CALLS_A_STEP):
                card.launch(launch)

        return once

    us = rounds_of(card, {name: calls(launch) for name, launch in launched.items()}, CALLS_A_STEP, rounds)
    return {"m": m, "k": k, "us": us, "bytes_that_differ": differ}


def _quantiser(card: Card, cubins: Path, source: str) -> Any:
    return card.function(cubins / cubin_name(source, [], "sm_90"), "quantize_q8_1", 0)


def _three(blocks: int, source: int, items: int) -> tuple[tuple[int, Any], ...]:
    return ((blocks, None), (source, None), (items, INT))


def plan() -> list[dict[str, object]]:
    both = ["sm_90", "sm_70"]
    wanted: list[dict[str, object]] = [
        {"source": ATTEND, "flags": list(flags_of(h, p)), "architectures": both} for h in HEADS for p in PARTITIONS
    ]
    wanted += [{"source": source, "flags": [], "architectures": both} for source in (WARP, VECTORS)]
    return [*wanted, {"source": READ, "flags": ["-DUNROLL=4"], "architectures": ["sm_90"]}]


def main() -> None:
    """All shapes; writes what it has after each."""
    parser = argparse.ArgumentParser()
    parser.add_argument("cubins", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--rounds", type=int, default=30)
    asked = parser.parse_args()
    if asked.cubins.suffix == ".json":
        asked.cubins.write_text(json.dumps(plan()))
        sys.exit(0)
    card, began = Card(), time.monotonic()
    result: dict[str, Any] = {"date": time.strftime("%Y-%m-%d"), **card.facts(), "quantise": [], "decode": []}
    for m, k in QUANTISED:
        result["quantise"].append(quantise(card, asked.cubins, m, k, asked.rounds))
        print(f"{time.monotonic() - began:.0f} s", m, k, _medians(result["quantise"][-1]), flush=True)
    for batch, length in SHAPES:
        result["decode"].append(decode(card, asked.cubins, batch, length, asked.rounds))
        print(f"{time.monotonic() - began:.0f} s", batch, length, _medians(result["decode"][-1]), flush=True)
        asked.out.write_text(json.dumps(result))


def _medians(row: dict[str, Any]) -> str:
    said = {name: round(float(np.median(us)), 2) for name, us in row["us"].items()}
    return json.dumps({**said, "error": row.get("error") or row.get("bytes_that_differ"), "wrong": row.get("wrong")})


if __name__ == "__main__":
    main()
