"""Which variants of the IQ4_XS product are tried: source, flags, launch rule, what each can do; and the build's plan.

`python -m benchmarks.kernel_iq4xs_plan PLAN.json 5120 17408 6144` writes the plan for those lengths of a row.
"""

import json
import sys
from dataclasses import dataclass
from pathlib import Path

FOLDER = "kernels/iq4xs_mmv/arms"
PROCESSORS = 132  # of the H200; a grid smaller or larger still computes the same
PAIR = ("-DPAIR=1",)
SHARED_OF_V100, SHARED_OF_H200 = 96 * 1024, 227 * 1024


@dataclass(frozen=True)
class Variant:
    """One compiled way to do the product for one shape."""

    name: str
    arm: str  # naive, stream, batched, tiled, mma, mma-fused, half
    family: str  # dp4a (what a V100 can run), dp4a-90 or mma
    source: str
    flags: tuple[str, ...]
    grid: int
    block: int
    shared: int
    positions: int  # of one row of the grid; the grid's y covers the others
    most: int  # largest M it is tried at
    least: int = 1
    architecture: str = "sm_90"
    arranges: bool = False  # a launch before it puts activations in order
    overlaps: bool = False  # begins while that launch runs


def dp4a(k: int, shape: tuple[int, int, int, int, int], pair: bool = False, ahead_l2: int = 0) -> Variant:
    """POSITIONS = 1 is the seeds' naive shape, up to 8 the batched one, with four rows a warp the tiled one."""
    positions, rows, warps, blocks, ahead = shape
    names = ("POSITIONS", "ROWS", "WARPS", "BLOCKS_PER_SM", "AHEAD")
    flags = (
        tuple(f"-D{name}={value}" for name, value in zip(names, shape, strict=True))
        + PAIR * pair
        + (f"-DPREFETCH={ahead_l2}",)
    )
    arm = "naive" if positions == 1 else "tiled" if rows == 4 and positions >= 8 else "batched"
    name = f"{arm} p{positions} r{rows} w{warps} b{blocks} a{ahead}{' p' * pair}{' l' * ahead_l2}"
    shared = positions * (k + k // 8)
    return Variant(
        name, arm, "dp4a", f"{FOLDER}/dp4a.cu", flags, PROCESSORS * blocks, warps * 32, shared, positions, 64
    )


def mma(k: int, shape: tuple[int, int, int, int], pair: bool, grid: int = PROCESSORS, fused: bool = False) -> Variant:
    """Shared memory as arms/mma.cu lays it out."""
    columns, warps, stages, cluster = shape
    most_blocks, tiles = -(-(k // 512) // cluster) * 2, columns // 8
    steps = -(-most_blocks // (warps // 8))
    subs, owned = steps * warps, -(-tiles // cluster)
    fixed = 128 + 2 * subs * 64 + subs * tiles * 64 + 2 * cluster * warps * owned * 512
    ring, raw = stages * 16 * ((most_blocks * 136) | 16), -(-most_blocks * 8 * 36 // 128) * 128 + 16
    # Activations at once: all, or two buffers of a part.
    pieces = (8, 16) if columns == 16 else (columns, 16, 8)  # of sixteen, half is put in order while half is fetched
    fits = [(r, r * raw * (1 if r == columns else 2)) for r in pieces if columns % r == 0]
    at_once, raw = next(((r, size) for r, size in fits if fixed + size + 128 <= SHARED_OF_H200), (8, SHARED_OF_H200))
    shared = (
        fixed + ring if fused else max(fixed + ring, min(SHARED_OF_H200, fixed + ring + raw + 128), fixed + raw + 128)
    )
    names = {"COLUMNS": columns, "WARPS": warps, "STEPS": steps, "STAGES": stages, "CLUSTER": cluster}
    names |= {"RAW_ROWS": at_once, "PAIR": int(pair), "FUSED": int(fused)}
    flags = tuple(f"-D{name}={value}" for name, value in names.items())
    arm = "mma-fused" if fused else "mma"
    name = f"{arm} n{columns} w{warps} s{stages} c{cluster} g{grid}{' p' * pair}"
    least = columns // 2 + 1 if columns > 8 else 1
    return Variant(name, arm, "mma", f"{FOLDER}/mma.cu", flags, grid, warps * 32, shared, columns, columns, least)


def stream(k: int, warps: int, slots: int) -> Variant:
    """Rows of a warp's own ring in shared memory; one position."""
    rounds = k // 1024
    flags = (f"-DROUNDS={rounds}", f"-DWARPS={warps}", f"-DSLOTS={slots}")
    shared = -(-(1 + warps * slots) * 8 // 128) * 128 + k // 32 * 36 + warps * slots * (k // 256) * 136
    name = f"stream w{warps} s{slots}"
    return Variant(name, "stream", "dp4a-90", f"{FOLDER}/stream.cu", flags, PROCESSORS, warps * 32, shared, 1, 1)


def half(columns: int, stages: int, groups: int, slots: int, batch: int, overlaps: bool) -> Variant:
    """Shared memory as arms/half.cu lays it out."""
    names = {"COLUMNS": columns, "STAGES": stages, "GROUPS": groups, "SLOTS": slots, "BATCH": batch}
    flags = tuple(f"-D{name}={value}" for name, value in names.items())
    shared = 128 + stages * columns * 256 + groups * 64 * slots * 320
    place = (f"{FOLDER}/half.cu", flags, PROCESSORS, groups * 128 + 32, shared)
    least = columns // 2 + 1 if columns > 8 else 1
    name = f"half n{columns} s{stages} g{groups} l{slots} b{batch}{' o' * overlaps}"
    return Variant(name, "half", "mma", *place, columns, columns, least, "sm_90a", True, overlaps)


def variants(k: int) -> list[Variant]:
    """All that fit: dp4a into a V100's shared memory, mma into an H200's."""
    tried = [
        dp4a(k, (1, *s), True, u) for s in ((2, 11, 2, 1), (2, 11, 3, 1), (2, 8, 3, 1), (4, 11, 1, 1)) for u in (0, 1)
    ]
    tried += [dp4a(k, (2, *s), True, u) for s in ((4, 11, 1, 1), (2, 11, 2, 1)) for u in (0, 1)]
    tried += [dp4a(k, (4, *s), False, u) for s in ((4, 11, 1, 1), (2, 11, 2, 1)) for u in (0, 1)]
    tried += [dp4a(k, (8, *s), False, u) for s in ((4, 11, 1, 1), (2, 16, 1, 1)) for u in (0, 1)]
    tried += [dp4a(k, (16, *s), False) for s in ((2, 16, 1, 1), (4, 12, 1, 1))]
    spread = ((1, 132),) if k == 5120 else ((1, 132), (2, 132)) if k < 8192 else ((4, 112), (4, 120))
    for cluster, grid in spread:
        small = [(8, 16, 3), (8, 8, 3), (16, 16, 3), (16, 8, 3), (16, 16, 2)]
        tried += [mma(k, (*s, cluster), True, grid) for s in small]
        tried += [
            mma(k, (*s, cluster), False, grid) for s in ((16, 16, 3), (16, 8, 3), (32, 8, 3), (32, 8, 2), (32, 16, 2))
        ]
    clusters = ((2, 132),) if k < 8192 else ((8, 96), (8, 112))
    tried += [mma(k, (64, w, s, c), False, g) for c, g in clusters for w, s in ((8, 4), (8, 3), (8, 2))]
    tried += [stream(k, w, s) for w, s in ((12, 2), (8, 3), (16, 2)) if k % 1024 == 0 and k < 8192]
    shapes = ((3, 2, 2), (4, 2, 1), (4, 2, 2))
    tried += [half(columns, 4, *s, o) for columns in (16, 32, 64) for s in shapes for o in (False, True)]
    fused = ((8, 16, 3), (16, 16, 3), (32, 8, 2), (64, 8, 3))
    tried += [
        mma(k, (*s, 1 if k < 8192 and s[0] < 64 else 2 if k < 8192 else 4), s[0] < 32, 132 if k < 8192 else 112, True)
        for s in fused
    ]
    return [v for v in tried if v.shared <= (SHARED_OF_V100 if v.family == "dp4a" else SHARED_OF_H200)]


def plan(ks: list[int]) -> list[dict[str, object]]:
    """What has to be built, each once."""
    wanted: dict[tuple[str, tuple[str, ...]], tuple[str, ...]] = {}
    for k in ks:
        for one in variants(k):
            wanted[one.source, one.flags] = ("sm_90", "sm_70") if one.family == "dp4a" else (one.architecture,)
    wanted[f"{FOLDER}/dequant.cu", ()] = ("sm_90", "sm_70")
    wanted["kernels/quantize_q8_1/arms/vectors.cu", ()] = ("sm_90", "sm_70")
    wanted["kernels/quantize_q8_1/arms/warp.cu", ()] = ("sm_90", "sm_70")
    for unroll in (2, 4, 5, 8):
        wanted["kernels/iq4xs_mmv/ceilings.cu", (f"-DUNROLL={unroll}",)] = ("sm_90",)
    return [{"source": s, "flags": list(f), "architectures": list(a)} for (s, f), a in wanted.items()]


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(json.dumps(plan([int(k) for k in sys.argv[2:]]), indent=1))
