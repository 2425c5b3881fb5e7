"""Times that no honest call can have, and clocks that do not agree."""

import pytest

from harness.kernels.bench.ceilings import Ceilings
from harness.kernels.bench.plan import Sizes
from harness.kernels.bench.timing import clock_fault

# 1 GB/s from memory, 10 GB/s from the cache, 100 G operations/s
MACHINE = Ceilings(1e9, 1e10, 1e11, 1 << 20)
SHAPE = Sizes("one", {}, True, True, {}, {}, bytes=1_000_000, operations=1_000_000)
HEAVY = Sizes("heavy", {}, True, True, {}, {}, bytes=1, operations=1_000_000_000)


def test_a_cold_call_cannot_read_faster_than_memory() -> None:
    assert MACHINE.impossible(SHAPE, "cold", 700_000, "fp32") is None  # 1.4 GB/s, within what measuring may miss
    said = MACHINE.impossible(SHAPE, "cold", 600_000, "fp32")
    assert said == "600 us would be 1.67e+09 B/s, and this machine reaches at most 1.5e+09"


def test_a_warm_call_is_held_to_the_cache() -> None:
    assert MACHINE.impossible(SHAPE, "warm", 60_000, "fp32") is None
    assert MACHINE.impossible(SHAPE, "warm", 49_000, "fp32") is not None
    never_cold = Ceilings(1e9, 1e10, 1e11, 1 << 20, cold_is_cold=False)
    assert never_cold.impossible(SHAPE, "cold", 60_000, "fp32") is None


def test_no_call_computes_faster_than_arithmetic() -> None:
    assert MACHINE.impossible(HEAVY, "warm", 6.6e6, "fp32") is not None
    assert MACHINE.impossible(HEAVY, "warm", 6.7e6, "fp32") is None
    assert MACHINE.impossible(HEAVY, "warm", 6.6e6, "int8") is None  # matrix units give more
    assert MACHINE.impossible(HEAVY, "warm", 2.0e5, "int8") is not None


@pytest.mark.parametrize("time_ns", [1e-9, -1.0, float("nan")])
def test_no_time_at_all_is_impossible(time_ns: float) -> None:
    assert MACHINE.impossible(SHAPE, "warm", time_ns, "fp32") is not None


def test_clocks_must_agree() -> None:
    assert clock_fault([1000.0] * 1000, 1000, 3e6, False) is None
    assert (
        clock_fault([1000.0] * 1000, 1000, 3e8, False) == "1000 calls are said to take 1 ms, the runner waited 300 ms"
    )
    assert clock_fault([1000.0] * 1000, 1000, 3e8, True) is None  # emptying caches takes what it takes
    assert clock_fault([1000.0] * 1000, 1000, 0.5e6, True) is not None  # longer than the runner waited at all
    assert clock_fault([1000.0, 0.0], 2, 1e6, False) == "a call was said to take no time at all"
    assert clock_fault([], 0, 1e6, False) is not None
