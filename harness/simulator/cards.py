"""Simulated cards as data: a JSON file that the server writes and `nvml.py` reads as if it were a driver.

One card for each worker, with the faults of cards in it. Figures are those of the seeds' cards, of 32 GiB.
"""

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from harness.simulator.faults import Fault, Faults

TOTAL_MIB = 32_494
USED_MIB = 28_000  # by a worker: weights and cache
MOST_MHZ = 1530
IDLE, NONE = 0x1, 0x0  # nvml.h, nvmlClocksEventReasons
HOT_C, THERMAL, SLOW_MHZ = 97, 0x40, 300
STRANGER_PID = 1  # lives on every machine, and is nobody's worker


@dataclass(frozen=True)
class SimulatedCard:
    """One card at one moment; memory is held as long as its process lives."""

    temperature_c: int = 38
    sm_mhz: int = 135
    reasons: int = IDLE
    held_mib: tuple[tuple[int, int], ...] = ()  # pid and what it holds
    kept_mib: int = 0  # held by nobody, and not given back
    silent: tuple[str, ...] = ()  # temperature, throttling, processes: what its driver does not tell


def idle(count: int) -> tuple[SimulatedCard, ...]:
    """Cards on which nothing runs."""
    return tuple(SimulatedCard() for _ in range(count))


def at_work(pids: Sequence[int], faults: Faults) -> tuple[SimulatedCard, ...]:
    """A card for each worker, under load; a fault is the last card's."""
    cards = [SimulatedCard(61, 1380, NONE, ((pid, USED_MIB),)) for pid in pids]
    if cards:
        cards[-1] = _spoilt(cards[-1], faults)
    return tuple(cards)


def _spoilt(card: SimulatedCard, faults: Faults) -> SimulatedCard:
    held = () if Fault.CARD_UNUSED in faults else card.held_mib
    if Fault.CARD_STRANGER in faults:
        held = (*held, (STRANGER_PID, faults.number(Fault.CARD_STRANGER, 1024)))
    return SimulatedCard(
        temperature_c=faults.number(Fault.CARD_HOT, HOT_C) if Fault.CARD_HOT in faults else card.temperature_c,
        sm_mhz=faults.number(Fault.CARD_SLOW, SLOW_MHZ) if Fault.CARD_SLOW in faults else card.sm_mhz,
        reasons=faults.number(Fault.CARD_THROTTLED, THERMAL) if Fault.CARD_THROTTLED in faults else card.reasons,
        held_mib=held,
        kept_mib=faults.number(Fault.CARD_MEMORY_KEPT, USED_MIB) if Fault.CARD_MEMORY_KEPT in faults else 0,
        silent=(faults.word(Fault.CARD_SILENT, "temperature"),) if Fault.CARD_SILENT in faults else (),
    )


def write(path: Path, cards: Sequence[SimulatedCard]) -> None:
    """Put the cards' state down, whole or not at all."""
    beside = path.with_name(f"{path.name}.{os.getpid()}")
    beside.write_text(json.dumps([asdict(card) for card in cards]), encoding="utf-8")
    beside.replace(path)


def read(path: Path) -> tuple[SimulatedCard, ...]:
    """What `write` put down. Raises OSError where there is nothing."""
    return tuple(
        SimulatedCard(
            **one | {"held_mib": tuple((pid, mib) for pid, mib in one["held_mib"]), "silent": tuple(one["silent"])}
        )
        for one in json.loads(path.read_text(encoding="utf-8"))
    )
