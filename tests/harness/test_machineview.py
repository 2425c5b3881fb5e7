"""The machine as /proc and /sys show it: figures of a made-up machine, and of this one; cards of a stand-in library."""

import os
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from harness import look
from harness.machineview import TICKS_PER_S, cards, identity, machine


def made_up(tmp_path: Path) -> tuple[Path, Path]:
    proc, cpu = tmp_path / "proc", tmp_path / "cpu"
    (proc / "7").mkdir(parents=True)
    (proc / "stat").write_text("cpu  100 20 30 400 50 6 4 10 3 2\ncpu0 1 2\n")
    (proc / "loadavg").write_text("1.25 0.5 0.2 1/300 9\n")
    fields = ["S", "1"] + ["0"] * 9 + ["40", "10", "5", "1"] + ["0"] * 20
    (proc / "7" / "stat").write_text(f"7 (a (b) c) {' '.join(fields)}\n")
    for core, mhz, throttled in ((0, 2000, 3), (1, 3000, 4)):
        (cpu / f"cpu{core}" / "cpufreq").mkdir(parents=True)
        (cpu / f"cpu{core}" / "thermal_throttle").mkdir()
        (cpu / f"cpu{core}" / "cpufreq" / "scaling_cur_freq").write_text(f"{mhz * 1000}\n")
        (cpu / f"cpu{core}" / "cpufreq" / "cpuinfo_max_freq").write_text("3500000\n")
        (cpu / f"cpu{core}" / "thermal_throttle" / "core_throttle_count").write_text(f"{throttled}\n")
    return proc, cpu


def test_a_machines_figures_are_read_as_the_kernel_means_them(tmp_path: Path) -> None:
    proc, cpu = made_up(tmp_path)
    seen = machine((7, 8), proc, cpu)
    assert seen["busy_s"] == (100 + 20 + 30 + 6 + 4 + 10) / TICKS_PER_S  # all but idle and waiting for disks
    assert seen["stolen_s"] == 10 / TICKS_PER_S and seen["own_s"] == 56 / TICKS_PER_S
    assert (seen["load_1m"], seen["mhz"], seen["max_mhz"], seen["throttled"]) == (1.25, 2500.0, 3500.0, 7)


def test_what_a_machine_does_not_tell_is_none(tmp_path: Path) -> None:
    seen = machine((), tmp_path, tmp_path)
    assert (seen["mhz"], seen["max_mhz"], seen["throttled"], seen["busy_s"], seen["load_1m"]) == (
        None,
        None,
        None,
        0,
        0,
    )


def test_this_processs_own_work_is_counted_as_its_own() -> None:
    before = look.answer({"ask": "machine", "pids": [os.getpid()]})
    until = time.process_time() + 0.2
    while time.process_time() < until:
        pass
    after = look.answer({"ask": "machine", "pids": [os.getpid()]})
    own_s = after["own_s"] - before["own_s"]
    assert 0.15 <= own_s <= after["busy_s"] - before["busy_s"] + 0.05


class NvmlError(Exception):
    """What the library raises for a figure that a card does not have."""


def stand_in() -> SimpleNamespace:
    def refuse(*arguments: Any) -> Any:
        raise NvmlError

    memory = SimpleNamespace(used=2 << 30, free=30 << 30)
    running = [SimpleNamespace(pid=9), SimpleNamespace(pid=7)]
    return SimpleNamespace(
        nvmlInit=lambda: None,
        nvmlShutdown=lambda: None,
        nvmlDeviceGetCount=lambda: 1,
        nvmlDeviceGetHandleByIndex=lambda index: index,
        nvmlDeviceGetMemoryInfo=lambda handle: memory,
        nvmlDeviceGetComputeRunningProcesses=lambda handle: running,
        nvmlDeviceGetCurrentClocksEventReasons=refuse,
        nvmlDeviceGetCurrentClocksThrottleReasons=lambda handle: 0x1 | 0x4 | 0x40,
        nvmlDeviceGetClockInfo=lambda handle, kind: 1380,
        nvmlDeviceGetMaxClockInfo=refuse,
        nvmlDeviceGetTemperature=lambda handle, sensor: 61,
    )


def test_cards_are_read_through_nvml_and_what_one_does_not_tell_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pynvml", stand_in())
    assert cards() == [
        {
            "index": 0,
            "used_mib": 2048,
            "free_mib": 30720,
            "sm_mhz": 1380,
            "max_sm_mhz": None,
            "temperature_c": 61,
            "throttling": ["power cap", "hardware thermal slowdown"],
            "pids": [7, 9],
        }
    ]


def test_figures_that_are_none_are_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    odd = stand_in()
    refuse = odd.nvmlDeviceGetMaxClockInfo
    odd.nvmlDeviceGetMemoryInfo = lambda handle: SimpleNamespace(used="2 GiB")
    odd.nvmlDeviceGetComputeRunningProcesses = lambda handle: [SimpleNamespace(pid=7), SimpleNamespace(pid=None)]
    odd.nvmlDeviceGetCurrentClocksThrottleReasons = refuse
    odd.nvmlDeviceGetTemperature = lambda handle, sensor: float("nan")
    odd.nvmlDeviceGetClockInfo = lambda handle, kind: None
    monkeypatch.setitem(sys.modules, "pynvml", odd)
    (card,) = cards()
    assert {value for name, value in card.items() if name != "index"} == {None}
    odd.nvmlDeviceGetHandleByIndex = odd.nvmlShutdown = refuse  # a card that fell off the bus
    assert cards() == [card]
    odd.nvmlDeviceGetCount = refuse
    assert cards() == []


def test_what_a_machine_is_with_its_driver_and_cards(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "cpuinfo").write_text("processor : 0\nmodel name\t: A Processor: 3 GHz\nmodel name : other\n")
    told = stand_in()
    told.nvmlSystemGetDriverVersion = lambda: b"550.54.15"  # as older libraries give it
    told.nvmlDeviceGetName = lambda handle: "Tesla V100"
    told.nvmlDeviceGetMemoryInfo = lambda handle: SimpleNamespace(total=32 << 30)
    monkeypatch.setitem(sys.modules, "pynvml", told)
    seen = identity(tmp_path)
    assert (seen["driver"], seen["cpu"], seen["cores"]) == ("550.54.15", "A Processor: 3 GHz", os.cpu_count())
    assert seen["cards"] == [{"number": 0, "name": "Tesla V100", "uuid": None, "memory_mib": 32768}]
    assert (seen["host"], seen["kernel"]) == (os.uname().nodename, f"{os.uname().sysname} {os.uname().release}")
    monkeypatch.setitem(sys.modules, "pynvml", None)
    alone = look.answer({"ask": "identity"})
    assert (alone["driver"], alone["cards"], alone["host"]) == (None, [], os.uname().nodename)


def test_without_the_library_or_a_driver_there_are_no_cards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pynvml", None)
    assert cards() == []
    broken = stand_in()
    broken.nvmlInit = broken.nvmlDeviceGetMaxClockInfo
    monkeypatch.setitem(sys.modules, "pynvml", broken)
    assert cards() == []


def test_an_unknown_question_is_a_bug() -> None:
    with pytest.raises(KeyError):
        look.answer({"ask": "nothing"})
