"""How busy and how fast a machine is: processor time by owner, load, clocks, throttling, and its cards.

Standard library only, as `procview.py`; `nvidia-ml-py` is used where it is installed and there is a card.
"""

import importlib
import os
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

CPU = Path("/sys/devices/system/cpu")
PROC = Path("/proc")
TICKS_PER_S = os.sysconf("SC_CLK_TCK")
MIB = 1 << 20
# nvml.h, nvmlClocksEventReasons; idle (bit 0) is no throttling, and application clocks (bit 1) are a person's setting.
THROTTLE_REASONS = {
    0x4: "power cap",
    0x8: "hardware slowdown",
    0x10: "sync boost",
    0x20: "software thermal slowdown",
    0x40: "hardware thermal slowdown",
    0x80: "hardware power brake",
}

Json = dict[str, Any]


def machine(pids: Iterable[int], proc: Path = PROC, cpu: Path = CPU) -> Json:
    """One reading: cumulated processor seconds, all and of `pids`; load; clocks; throttle counts; cards.

    The share of others in a span is (busy - own) / cores between two readings. `stolen_s` is what a hypervisor took.
    """
    fields = [int(word) for word in _first_line(proc / "stat").split()[1:]]
    fields += [0] * (10 - len(fields))
    idle, stolen = fields[3] + fields[4], fields[7]
    total = sum(fields[:8])  # guest time (fields 8, 9) is inside user time already
    return {
        "at": time.time(),
        "cores": os.cpu_count() or 1,
        "busy_s": (total - idle) / TICKS_PER_S,
        "stolen_s": stolen / TICKS_PER_S,
        "own_s": sum(_processor_s(proc / str(pid) / "stat") for pid in pids),
        "load_1m": float((_first_line(proc / "loadavg").split() or ["0"])[0]),
        "mhz": clocks_mhz(proc, cpu),
        "max_mhz": _largest(cpu, "cpu*/cpufreq/cpuinfo_max_freq"),
        "throttled": _summed(cpu, "cpu*/thermal_throttle/core_throttle_count"),
        "cards": cards(),
    }


def identity(proc: Path = PROC) -> Json:
    """What the machine is, not what it does: its name, kernel, processor, the cards' driver and the cards."""
    system, models = os.uname(), []
    with suppress(OSError):
        lines = (proc / "cpuinfo").read_text(encoding="ascii", errors="replace").splitlines()
        models = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name") and ":" in line]
    driver, found = _driver_and_cards()
    return {
        "host": system.nodename,
        "kernel": f"{system.sysname} {system.release}",
        "cpu": models[0] if models else "",
        "cores": os.cpu_count() or 1,
        "driver": driver,
        "cards": found,
    }


def _driver_and_cards() -> tuple[str | None, list[Json]]:
    nvml = _library()
    if nvml is None:
        return None, []
    try:
        driver = _words(_asked(getattr(nvml, "nvmlSystemGetDriverVersion", None)))
        return driver, [_named(nvml, number) for number in range(_asked(nvml.nvmlDeviceGetCount) or 0)]
    finally:
        _asked(nvml.nvmlShutdown)


def _named(nvml: Any, number: int) -> Json:
    handle = _asked(nvml.nvmlDeviceGetHandleByIndex, number)

    def ask(name: str) -> Any:
        return None if handle is None else _asked(getattr(nvml, name, None), handle)

    return {
        "number": number,
        "name": _words(ask("nvmlDeviceGetName")),
        "uuid": _words(ask("nvmlDeviceGetUUID")),
        "memory_mib": _whole(getattr(ask("nvmlDeviceGetMemoryInfo"), "total", None), MIB),
    }


def clocks_mhz(proc: Path = PROC, cpu: Path = CPU) -> float | None:
    """Mean clock of the cores, MHz; none where the machine does not say."""
    values = [_number(path) / 1000 for path in cpu.glob("cpu*/cpufreq/scaling_cur_freq")]
    if not values:
        with suppress(OSError):
            lines = (proc / "cpuinfo").read_text(encoding="ascii", errors="replace").splitlines()
            values = [float(line.split(":")[1]) for line in lines if line.startswith("cpu MHz")]
    return sum(values) / len(values) if values else None


def cards() -> list[Json]:
    """Every NVIDIA card: memory, clocks, temperature, throttling and the processes on it; empty without card or NVML.

    Install `nvidia-ml-py` (the extra `cards`) on the host to have them.
    """
    nvml = _library()
    if nvml is None:
        return []
    try:
        return [_card(nvml, index) for index in range(_asked(nvml.nvmlDeviceGetCount) or 0)]
    finally:
        _asked(nvml.nvmlShutdown)


def _library() -> Any:
    """The driver's library, begun; none where there is no library, no driver or no card."""
    try:
        nvml: Any = importlib.import_module("pynvml")
        nvml.nvmlInit()
    except Exception:  # noqa: BLE001 - each of these is "no cards", and NVML's errors are its own
        return None
    return nvml


def _card(nvml: Any, index: int) -> Json:
    """One card; what this driver does not tell is none, also everything of a card that fell off the bus."""
    handle = _asked(nvml.nvmlDeviceGetHandleByIndex, index)

    def ask(name: str, *arguments: Any) -> Any:
        return None if handle is None else _asked(getattr(nvml, name, None), handle, *arguments)

    memory, running = ask("nvmlDeviceGetMemoryInfo"), ask("nvmlDeviceGetComputeRunningProcesses")
    bits = ask("nvmlDeviceGetCurrentClocksEventReasons")
    bits = _whole(ask("nvmlDeviceGetCurrentClocksThrottleReasons") if bits is None else bits)
    pids = None if running is None else [_whole(getattr(process, "pid", None)) for process in running]
    return {
        "index": index,
        "used_mib": _whole(getattr(memory, "used", None), MIB),
        "free_mib": _whole(getattr(memory, "free", None), MIB),
        "sm_mhz": _whole(ask("nvmlDeviceGetClockInfo", 1)),  # NVML_CLOCK_SM
        "max_sm_mhz": _whole(ask("nvmlDeviceGetMaxClockInfo", 1)),
        "temperature_c": _whole(ask("nvmlDeviceGetTemperature", 0)),  # NVML_TEMPERATURE_GPU
        "throttling": None if bits is None else [said for bit, said in THROTTLE_REASONS.items() if bits & bit],
        "pids": None if pids is None or None in pids else sorted(pid for pid in pids if pid is not None),
    }


def _asked(question: Any, *arguments: Any) -> Any:
    """The driver's answer, none where it has none."""
    try:
        return question(*arguments)
    except Exception:  # noqa: BLE001 - NVML raises its own error for every figure that a card does not have
        return None


def _words(value: Any) -> str | None:
    """A name of the driver, which older libraries give as bytes; what is neither was not told."""
    said = value.decode(errors="replace") if isinstance(value, bytes) else value
    return said if isinstance(said, str) else None


def _whole(value: Any, unit: int = 1) -> int | None:
    """A figure of the driver in whole units; what is no whole number was not told."""
    return value // unit if type(value) is int else None


def _processor_s(path: Path) -> float:
    """User and system seconds of a process and its threads, with those of children it has waited for."""
    with suppress(OSError, IndexError, ValueError):
        fields = path.read_bytes().rpartition(b")")[2].split()
        return sum(int(field) for field in fields[11:15]) / TICKS_PER_S  # fields 14 to 17 of proc(5)
    return 0.0


def _first_line(path: Path) -> str:
    with suppress(OSError, IndexError):
        return path.read_text(encoding="ascii", errors="replace").splitlines()[0]
    return ""


def _number(path: Path) -> float:
    with suppress(OSError, ValueError):
        return float(path.read_text(encoding="ascii"))
    return 0.0


def _largest(folder: Path, pattern: str) -> float | None:
    values = [_number(path) / 1000 for path in folder.glob(pattern)]
    return max(values) if values else None


def _summed(folder: Path, pattern: str) -> int | None:
    values = [_number(path) for path in folder.glob(pattern)]
    return int(sum(values)) if values else None
