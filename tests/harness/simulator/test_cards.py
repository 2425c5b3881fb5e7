"""Simulated cards, as `harness.machineview` sees them through a stand-in for the driver's library."""

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from harness import machineview
from harness.simulator import cards, nvml
from harness.simulator.faults import Faults
from tests.harness.simulator.starting import started

OURS = os.getpid()


def seen(path: Path, *faults: str, pids: tuple[int, ...] = (OURS, OURS)) -> list[dict[str, Any]]:
    """What is seen of two cards, of which the last one is spoilt."""
    cards.write(path, cards.at_work(pids, Faults.parse(faults)))
    with nvml.standing_in(), nvml.cards_of(path):
        return machineview.cards()


def test_a_card_at_work_and_one_on_which_nothing_runs(tmp_path: Path) -> None:
    path = tmp_path / "cards.json"
    first, second = seen(path)
    assert first == {
        "index": 0,
        "used_mib": cards.USED_MIB,
        "free_mib": cards.TOTAL_MIB - cards.USED_MIB,
        "sm_mhz": 1380,
        "max_sm_mhz": 1530,
        "temperature_c": 61,
        "throttling": [],
        "pids": [OURS],
    }
    assert second == first | {"index": 1}
    gone = 2**22 + 1  # above every pid
    assert [one["used_mib"] for one in seen(path, pids=(OURS, gone))] == [cards.USED_MIB, 0]
    cards.write(path, cards.idle(3))
    with nvml.standing_in(), nvml.cards_of(path):
        assert [(one["temperature_c"], one["pids"], one["throttling"]) for one in machineview.cards()] == [
            (38, [], [])
        ] * 3


@pytest.mark.parametrize(
    ("fault", "spoilt"),
    [
        ("card-hot", {"temperature_c": 97}),
        ("card-hot=90", {"temperature_c": 90}),
        ("card-throttled", {"throttling": ["hardware thermal slowdown"]}),
        ("card-throttled=4", {"throttling": ["power cap"]}),
        ("card-slow", {"sm_mhz": 300}),
        ("card-silent", {"temperature_c": None}),
        ("card-silent=throttling", {"throttling": None}),
        ("card-silent=processes", {"pids": None}),
        ("card-stranger", {"pids": sorted({1, OURS}), "used_mib": cards.USED_MIB + 1024, "free_mib": 3470}),
        ("card-unused", {"pids": [], "used_mib": 0, "free_mib": cards.TOTAL_MIB}),
        ("card-memory-kept=100", {"used_mib": cards.USED_MIB + 100, "free_mib": 4394}),
    ],
)
def test_each_fault_spoils_the_last_card_alone(tmp_path: Path, fault: str, spoilt: dict[str, Any]) -> None:
    good = seen(tmp_path / "cards.json")
    assert seen(tmp_path / "cards.json", fault) == [good[0], good[1] | spoilt]


def test_it_is_found_only_where_it_stands_in(tmp_path: Path) -> None:
    before = sys.modules.get("pynvml")
    with nvml.standing_in():
        assert machineview.cards() == []
        with nvml.cards_of(tmp_path / "none.json"):
            assert machineview.cards() == []
    assert sys.modules.get("pynvml") is before


async def test_the_server_puts_a_card_down_for_each_worker(tmp_path: Path) -> None:
    path = tmp_path / "cards.json"
    async with started(tmp_path, "--style", "v100-fork", "--cards-file", str(path)) as simulated:
        with nvml.standing_in(), nvml.cards_of(path):
            assert [one["pids"] for one in machineview.cards()] == [[pid] for pid in simulated.workers()]
