"""The time below which no honest call can be on this machine, from what the machine was seen to do at most."""

from dataclasses import dataclass

from harness.kernels.bench.plan import Sizes

# A measured ceiling is itself a measurement, and loads and stores overlap; only what passes it by far is refused.
SLACK = {"memory": 1.5, "cache": 2.0, "arithmetic": 1.5}
PER_FP32 = {"fp32": 1.0, "fp16": 16.0, "int8": 32.0}  # most that matrix units give over plain fused multiply-adds


@dataclass(frozen=True)
class Ceilings:
    """Bytes and operations a second, and the size of the last-level cache; 0 where nothing was measured."""

    memory_bytes_s: float
    cache_bytes_s: float
    fp32_s: float
    cache_bytes: int
    cold_is_cold: bool = True  # whether emptying the cache is within reach here
    fault: str = ""  # why nothing could be measured

    def named(self) -> dict[str, float]:
        """As a report keeps them."""
        return {
            "memory_bytes_s": self.memory_bytes_s,
            "cache_bytes_s": self.cache_bytes_s,
            "fp32_s": self.fp32_s,
            "cache_bytes": float(self.cache_bytes),
        }

    def impossible(self, shape: Sizes, mode: str, taken_ns: float, unit: str) -> str | None:
        """One clause when a call was faster than this machine can be."""
        from_memory = mode == "cold" and self.cold_is_cold
        rate = self.memory_bytes_s * SLACK["memory"] if from_memory else self.cache_bytes_s * SLACK["cache"]
        operations = self.fp32_s * PER_FP32[unit] * SLACK["arithmetic"]
        for need, most, what in ((shape.bytes, rate, "B/s"), (shape.operations, operations, "operations/s")):
            if most > 0 and not (taken_ns * 1e-9 >= need / most):
                seen = need / (taken_ns * 1e-9)
                return (
                    f"{taken_ns / 1000:.3g} us would be {seen:.3g} {what}, and this machine reaches at most {most:.3g}"
                )
        return None
