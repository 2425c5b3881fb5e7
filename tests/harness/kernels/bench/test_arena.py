"""The shared memory: guard bands around every array, places apart, and what was written where it should not be."""

from collections.abc import Iterator

import numpy as np
import pytest

from harness.kernels.bench.arena import POISONS, Arena
from harness.kernels.bench.layout import Layout, lay_out
from harness.kernels.bench.plan import Plan
from tests.harness.kernels.tasks import SAXPY, planned

INPUTS = {
    "a": np.arange(3, dtype=np.float32),
    "x": np.ones((3, 1001), dtype=np.float32),
    "y": np.zeros((3, 1001), dtype=np.float32),
}


@pytest.fixture
def layout() -> Layout:
    """Two places of the example's odd shape."""
    plan: Plan = planned(SAXPY)
    return lay_out(plan.parameters, plan.shape("odd"), plan.arm("plain"), 2)


@pytest.fixture
def arena(layout: Layout) -> Iterator[Arena]:
    """Filled with inputs, outputs poisoned."""
    made = Arena(layout.total)
    made.use(layout)
    made.fill(1, INPUTS, POISONS[0])
    yield made
    made.close()


def test_arrays_lie_apart_and_aligned(layout: Layout) -> None:
    assert [one.name for one in layout.fields] == ["out", "a", "x", "y"]
    ends = [one.offset + one.size for one in layout.fields]
    starts = [one.offset for one in layout.fields[1:]] + [layout.place_bytes]
    assert all(start - end >= 4096 for end, start in zip(ends, starts, strict=True))
    assert all(one.offset % 4096 == 0 for one in layout.fields)
    assert layout.place(1)["x"] - layout.place(0)["x"] == layout.place_bytes
    assert layout.snapshots()["out"] == 2 * layout.place_bytes


def test_nothing_is_out_of_order_at_first(arena: Arena) -> None:
    assert arena.trespass(1) is None
    assert arena.changed_input(1, INPUTS) is None
    assert (arena.outputs(1)["out"] == POISONS[0]).all()


def test_the_first_byte_past_an_array_is_seen(arena: Arena, layout: Layout) -> None:
    end = layout.place(1)["out"] + 4 * 3003
    arena.bytes[end] = 0
    assert arena.trespass(1) == "1 bytes past the end of 'out'"
    assert arena.trespass(0) is None


def test_a_write_before_the_first_array_is_seen(arena: Arena, layout: Layout) -> None:
    arena.bytes[layout.place(1)["out"] - 8] = 0
    assert arena.trespass(1) == "8 bytes before 'out'"


def test_a_changed_input_is_named(arena: Arena, layout: Layout) -> None:
    arena.bytes[layout.place(1)["x"] + 5] ^= 1
    assert arena.changed_input(1, INPUTS) == "x"


def test_only_the_middle_of_an_output_is_spoilt(arena: Arena) -> None:
    arena.spoil(1, POISONS[1])
    out = arena.outputs(1)["out"]
    assert (out[: 3003 - 3] == POISONS[0]).all()
    assert (out[3003 : 3 * 3003] == POISONS[1]).all()
    assert (out[3 * 3003 + 3 :] == POISONS[0]).all()


def test_a_layout_that_is_too_large_is_a_bug(layout: Layout) -> None:
    small = Arena(4096)
    with pytest.raises(ValueError, match="does not fit into 4096"):
        small.use(layout)
    small.close()
