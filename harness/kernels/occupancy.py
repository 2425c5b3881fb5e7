"""How many warps of a kernel fit on one multiprocessor, and what limits them. Pure.

The figures of each architecture are those of NVIDIA's CUDA C++ programming guide, table "Technical Specifications per
Compute Capability"; registers are given out by 256 a warp, shared memory by 128 bytes (256 before 8.0), and from 8.0 on
the system keeps 1 KiB of it for every block.
"""

from dataclasses import dataclass

WARP = 32
REGISTERS, REGISTER_UNIT = 65_536, 256
SHARED_WITHOUT_ASKING = 48 * 1024  # bytes a block gets on every card without asking the driver for more


@dataclass(frozen=True)
class Multiprocessor:
    """What one multiprocessor has."""

    warps: int
    blocks: int
    shared_kib: int
    shared_of_block_kib: int


MULTIPROCESSORS = {
    70: Multiprocessor(64, 32, 96, 96),
    72: Multiprocessor(64, 32, 96, 96),
    75: Multiprocessor(32, 16, 64, 64),
    80: Multiprocessor(64, 32, 164, 163),
    86: Multiprocessor(48, 16, 100, 99),
    87: Multiprocessor(48, 16, 164, 163),
    89: Multiprocessor(48, 24, 100, 99),
    90: Multiprocessor(64, 32, 228, 227),
    100: Multiprocessor(64, 32, 228, 227),
    120: Multiprocessor(48, 32, 100, 99),
}


@dataclass(frozen=True)
class Occupancy:
    """An estimate: what fits, not what will run."""

    blocks: int
    warps: int
    of_warps: int
    limited_by: str  # warps, blocks, registers, shared memory

    @property
    def share(self) -> float:
        """0 to 1."""
        return self.warps / self.of_warps


def capability(architecture: str) -> int:
    """`sm_90a` is 90."""
    return int(architecture.removeprefix("sm_").rstrip("a"))


def occupancy(architecture: str, threads: int, registers: int, shared_bytes: int) -> Occupancy | None:
    """None for an architecture that is not in the table, or a block that cannot start at all there."""
    of = MULTIPROCESSORS.get(capability(architecture))
    if of is None or threads < 1:
        return None
    warps = -(-threads // WARP)
    reserved, unit = (1024, 128) if capability(architecture) >= 80 else (0, 256)
    shared = -(-shared_bytes // unit) * unit + reserved
    a_warp = -(-registers * WARP // REGISTER_UNIT) * REGISTER_UNIT
    limits = {
        "warps": of.warps // warps,
        "blocks": of.blocks,
        "registers": (REGISTERS // a_warp // 4 * 4) // warps if a_warp else of.blocks,
        "shared memory": of.shared_kib * 1024 // shared if shared else of.blocks,
    }
    limited_by = min(limits, key=lambda name: limits[name])
    blocks = limits[limited_by]
    return Occupancy(blocks, blocks * warps, of.warps, limited_by) if blocks else None
