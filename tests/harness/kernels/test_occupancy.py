"""What ptxas says is read off, and how many warps then fit; the figures are those of NVIDIA's occupancy calculator."""

from harness.kernels.occupancy import capability, occupancy
from harness.kernels.resources import Resources, resources_of

WORDS = """
ptxas info    : 4 bytes gmem, 16 bytes cmem[3]
ptxas info    : Compiling entry function 'first' for 'sm_70'
ptxas info    : Function properties for first
ptxas         .     40 bytes stack frame, 24 bytes spill stores, 28 bytes spill loads
ptxas info    : Used 255 registers, used 1 barriers, 1024 bytes smem, 372 bytes cmem[0]
ptxas info    : Compiling entry function 'second' for 'sm_70'
ptxas info    : Function properties for second
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 10 registers, 372 bytes cmem[0]
"""


def test_registers_shared_memory_spills_and_state_are_read_off() -> None:
    assert resources_of(WORDS) == {
        "first": Resources(255, 1024, 40, 24, 28, 4),
        "second": Resources(10, 0, 0, 0, 0, 4),
    }
    assert resources_of("nothing of the kind") == {}


def test_occupancy_follows_registers_threads_and_shared_memory() -> None:
    def warps(*asked: int) -> tuple[int, str]:
        found = occupancy("sm_70", *asked)
        assert found is not None
        return found.warps, found.limited_by

    assert warps(256, 32, 0) == (64, "warps")
    assert warps(256, 64, 0) == (32, "registers")
    assert warps(128, 40, 0) == (48, "registers")
    assert warps(32, 16, 0) == (32, "blocks")
    assert warps(128, 32, 48 * 1024) == (8, "shared memory")


def test_newer_cards_keep_a_kib_of_shared_memory_for_each_block() -> None:
    found = occupancy("sm_90", 128, 32, 16 * 1024)
    assert found is not None
    assert (found.blocks, found.limited_by) == (13, "shared memory")  # 228 / 17, not 228 / 16


def test_what_cannot_start_or_is_not_known_has_no_occupancy() -> None:
    assert occupancy("sm_70", 1024, 128, 0) is None  # 32 warps of 4096 registers are twice what there is
    assert occupancy("sm_999", 128, 32, 0) is None
    assert occupancy("sm_70", 0, 32, 0) is None
    assert capability("sm_90a") == 90
