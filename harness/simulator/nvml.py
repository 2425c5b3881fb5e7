"""A stand-in for `nvidia-ml-py`: the few functions that `harness.machineview` asks, answered from simulated cards.

`standing_in()` lets it be found as `pynvml` in this process, for tests and benchmarks. It is never found otherwise.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

from harness import procfs
from harness.simulator.cards import MOST_MHZ, TOTAL_MIB, SimulatedCard, read

MIB = 1 << 20
DATA: ContextVar[Path | None] = ContextVar("simulated cards", default=None)  # each launch of a benchmark has its own


class NVMLError(Exception):
    """What the library raises for a figure that a card does not tell."""


@dataclass(frozen=True)
class Memory:
    """Bytes."""

    used: int
    free: int
    total: int


@dataclass(frozen=True)
class Running:
    """A process on a card."""

    pid: int


@contextmanager
def standing_in() -> Iterator[None]:
    """The library of this process, as long as the block runs; without `cards_of` it finds no card."""
    before = sys.modules.get("pynvml")
    sys.modules["pynvml"] = sys.modules[__name__]
    try:
        yield
    finally:
        sys.modules.pop("pynvml")
        if before is not None:
            sys.modules["pynvml"] = before


@contextmanager
def cards_of(path: Path | None) -> Iterator[None]:
    """The cards of this file, or none, for whoever asks in this context; contexts may run side by side."""
    token = DATA.set(path)
    try:
        yield
    finally:
        DATA.reset(token)


def nvmlInit() -> None:
    """Raises NVMLError where no card is simulated."""
    path = DATA.get()
    if path is None or not path.exists():
        raise NVMLError("no driver")


def nvmlShutdown() -> None:
    """Nothing is held."""


def nvmlDeviceGetCount() -> int:
    """How many cards there are."""
    return len(_cards())


def nvmlDeviceGetHandleByIndex(index: int) -> SimulatedCard:
    """A card as it is at this moment."""
    return _cards()[index]


def nvmlDeviceGetMemoryInfo(card: SimulatedCard) -> Memory:
    """What living processes hold, and what is not given back."""
    used = card.kept_mib + sum(mib for pid, mib in card.held_mib if _lives(pid))
    return Memory(min(used, TOTAL_MIB) * MIB, max(TOTAL_MIB - used, 0) * MIB, TOTAL_MIB * MIB)


def nvmlSystemGetDriverVersion() -> str:
    """No driver's version."""
    return "simulated"


def nvmlDeviceGetName(card: SimulatedCard) -> str:
    """No card's name."""
    return "simulated card"


def nvmlDeviceGetComputeRunningProcesses(card: SimulatedCard) -> list[Running]:
    """Living processes. Raises NVMLError where the card does not tell."""
    _told(card, "processes")
    return [Running(pid) for pid, _ in card.held_mib if _lives(pid)]


def nvmlDeviceGetCurrentClocksEventReasons(card: SimulatedCard) -> int:
    """Bits of nvml.h. Raises NVMLError where the card does not tell."""
    _told(card, "throttling")
    return card.reasons


nvmlDeviceGetCurrentClocksThrottleReasons = nvmlDeviceGetCurrentClocksEventReasons


def nvmlDeviceGetClockInfo(card: SimulatedCard, kind: int) -> int:
    """MHz."""
    return card.sm_mhz


def nvmlDeviceGetMaxClockInfo(card: SimulatedCard, kind: int) -> int:
    """MHz."""
    return MOST_MHZ


def nvmlDeviceGetTemperature(card: SimulatedCard, sensor: int) -> int:
    """Degrees C. Raises NVMLError where the card does not tell."""
    _told(card, "temperature")
    return card.temperature_c


def _cards() -> tuple[SimulatedCard, ...]:
    path = DATA.get()
    return read(path) if path is not None else ()


def _told(card: SimulatedCard, what: str) -> None:
    if what in card.silent:
        raise NVMLError(f"{what} is not supported")


def _lives(pid: int) -> bool:
    found = procfs.stat(pid)
    return found is not None and found.runs
